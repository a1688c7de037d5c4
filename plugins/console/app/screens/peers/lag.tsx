import type { AnswerOf } from '../../../../../client/client.ts';
import { Instant } from '../../kit/instant.tsx';
import { NumberTerms } from '../../kit/number-terms.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useTexts } from '../../kit/use-texts.ts';
import { useSession } from '../../session/session.ts';
import { LOCALE, plural, type Texts } from '../../texts/texts.ts';

export type Lag = AnswerOf<'GET /v1/federation/peers/{peer_id}/lag'>;

/** How far a peer and this node have read from each other. */
export const useLag = (id: string) => {
  const { client } = useSession();
  return useRequest(
    (signal) => client.call('GET /v1/federation/peers/{peer_id}/lag', { params: { peer_id: id }, signal }),
    [id],
  );
};

/** The largest lag, for a list. */
export const LagInShort = ({ id }: { id: string }) => {
  const { peers: texts } = useTexts();
  const { data, error } = useLag(id);
  if (error !== undefined) return <span class="tag bad">{texts.lagUnknown}</span>;
  if (data === undefined) {
    return (
      <span class="muted" aria-busy="true">
        …
      </span>
    );
  }
  const { inbound, outbound } = data;
  const behind = Math.max(0, ...[...inbound, ...outbound].map(({ lag_facts: facts }) => facts ?? 0));
  const isFailing = inbound.some(({ failures }) => failures > 0);
  return (
    <span class="words">
      <span class={`tag ${behind === 0 ? 'good' : 'warn'}`}>
        {behind === 0 ? texts.upToDate : plural(texts.behind, behind)}
      </span>
      {isFailing && <span class="tag bad">{texts.failing}</span>}
    </span>
  );
};

/** The lag of each scope, in both directions. */
export const LagTables = ({ lag }: { lag: Lag }) => {
  const { peers: texts } = useTexts();
  return (
    <>
      <h2>{texts.inbound}</h2>
      <RecordTable
        label={texts.inbound}
        columns={inboundColumns(texts)}
        rows={lag.inbound}
        keyOf={({ scope }) => scope}
        empty={<Empty title={texts.noInbound} />}
      />
      <h2>{texts.outbound}</h2>
      <RecordTable
        label={texts.outbound}
        columns={outboundColumns(texts)}
        rows={lag.outbound}
        keyOf={({ scope }) => scope}
        empty={<Empty title={texts.noOutbound} />}
      />
      <NumberTerms names={['factsBehind', 'secondsBehind', 'parked', 'failures', 'factsToday']} />
    </>
  );
};

const SECONDS = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });

const seconds = (value: number | null): string => (value === null ? '–' : `${SECONDS.format(value)} s`);

const inboundColumns = (texts: Texts['peers']): readonly Column<Lag['inbound'][number]>[] => [
  { title: texts.scope, show: ({ scope }) => <span class="tag">{scope}</span> },
  { title: texts.factsBehind, isNumber: true, show: ({ lag_facts: facts }) => facts ?? '–' },
  { title: texts.secondsBehind, isNumber: true, show: ({ lag_seconds: lag }) => seconds(lag) },
  { title: texts.parked, isNumber: true, show: ({ parked }) => parked },
  { title: texts.lastSuccess, show: ({ last_success: at }) => <Instant at={at} relative /> },
  {
    title: texts.lastFailure,
    show: ({ last_failure: at, last_error: error, failures }) => (
      <>
        <Instant at={at} relative /> {failures > 0 && <span class="tag bad">{plural(texts.failures, failures)}</span>}
        {error !== null && (
          <div>
            <ShownText text={error} />
          </div>
        )}
      </>
    ),
  },
  { title: texts.nextPull, show: ({ next_pull: at }) => <Instant at={at} relative /> },
];

const outboundColumns = (texts: Texts['peers']): readonly Column<Lag['outbound'][number]>[] => [
  { title: texts.scope, show: ({ scope }) => <span class="tag">{scope}</span> },
  { title: texts.factsBehind, isNumber: true, show: ({ lag_facts: facts }) => facts },
  { title: texts.secondsBehind, isNumber: true, show: ({ lag_seconds: lag }) => seconds(lag) },
  { title: texts.lastRequest, show: ({ last_request: at }) => <Instant at={at} relative /> },
];
