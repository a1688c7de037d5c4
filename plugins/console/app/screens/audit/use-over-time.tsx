import { useState } from 'preact/hooks';
import type { AnswerOf, FactClient } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { NumberTerms } from '../../kit/number-terms.tsx';
import { nowMs } from '../../kit/platform.ts';
import { Problem } from '../../kit/problem.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty, Loading } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { plural, spellNumber, type Texts } from '../../texts/texts.ts';
import { NodeTraffic } from './node-traffic.tsx';

type Use = AnswerOf<'GET /v1/audit/use'>['days'][number];

const DAY_MS = 86_400_000;
const PERIODS = [1, 7, 30] as const;
/** The number of parts that are read at once, each of 500 entries. */
const PARTS = 20;

/** The use of the memory by day, agent and key. It is read when the reader opens it. */
export const UseOverTime = () => {
  const { own } = useSession('audit');
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="use-over-time" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{own.use}</h2>
      </summary>
      {isOpen && <UseTable />}
    </details>
  );
};

const UseTable = () => {
  const { client, setup, reader, own } = useSession('audit');
  const [days, setDays] = useState<number>(7);
  const isAdmin = may(reader, 'admin') && hasRoute(setup, 'GET /v1/auth/keys');
  const asked = useRequest((signal) => readUse(client, days, signal), [days]);
  const keys = useRequest(async (signal) => (isAdmin ? readKeyNames(client, signal) : NO_NAMES), [isAdmin]);
  return (
    <section aria-busy={asked.isLoading}>
      <p class="bar">
        {PERIODS.map((each) => (
          <Button
            key={each}
            text={plural(own.lastDays, each)}
            aria-pressed={each === days}
            onClick={() => setDays(each)}
          />
        ))}
      </p>
      {asked.error !== undefined && <Problem error={asked.error} retry={asked.reload} />}
      {asked.data === undefined
        ? asked.isLoading && <Loading />
        : asked.data !== undefined && (
            <>
              <RecordTable
                label={own.use}
                columns={columnsOf(own, keys.data ?? NO_NAMES)}
                rows={asked.data.days}
                keyOf={placeOf}
                empty={<Empty title={own.nothing} />}
              />
              {asked.data.days.length > 0 && <NumberTerms names={EXPLAINED} />}
              {asked.data.isCut && <p class="muted">{plural(own.useCut, asked.data.counted)}</p>}
            </>
          )}
      <NodeTraffic />
    </section>
  );
};

interface ReadUse {
  readonly days: readonly Use[];
  readonly counted: number;
  /** True if earlier entries were not read. */
  readonly isCut: boolean;
}

const readUse = async (client: FactClient, days: number, signal: AbortSignal): Promise<ReadUse> => {
  const since = new Date(nowMs() - days * DAY_MS).toISOString();
  const sums = new Map<string, Use>();
  let counted = 0;
  let cursor: string | null | undefined;
  for (let part = 0; part < PARTS && cursor !== null; part += 1) {
    const page: AnswerOf<'GET /v1/audit/use'> = await client.call('GET /v1/audit/use', {
      query: { since, ...(cursor && { cursor }) },
      signal,
    });
    for (const use of page.days) {
      const known = sums.get(placeOf(use));
      sums.set(placeOf(use), known === undefined ? use : sumOf(known, use));
    }
    counted += page.counted;
    cursor = page.cursor;
  }
  return { days: [...sums.values()], counted, isCut: cursor !== null };
};

const placeOf = ({ day, entity_uri: entity, key_id: key }: Use): string => JSON.stringify([day, entity, key]);

const COUNTS = ['reads', 'writes', 'recalls', 'others', 'tokens', 'written_bytes', 'recalled_bytes'] as const;

const EXPLAINED = ['reads', 'writes', 'recalls', 'others', 'tokens', 'bytes'] as const;

const sumOf = (one: Use, other: Use): Use => ({
  ...one,
  ...(Object.fromEntries(COUNTS.map((name) => [name, one[name] + other[name]])) as Pick<Use, (typeof COUNTS)[number]>),
});

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The descriptions of keys, by their ids. */
const readKeyNames = async (client: FactClient, signal: AbortSignal): Promise<ReadonlyMap<string, string>> => {
  const keys = await client.call('GET /v1/auth/keys', { query: { all: true, limit: 500 }, signal });
  return new Map(keys.map(({ id, description }) => [id, description ?? id]));
};

const columnsOf = (own: Texts['audit'], keys: ReadonlyMap<string, string>): readonly Column<Use>[] => [
  { title: own.day, show: ({ day }) => <Instant at={day} /> },
  {
    title: own.agent,
    show: ({ entity_uri: entity, key_id: key }) => (
      <>
        <ShownText text={entity || own.nobody} />
        {key !== null && (
          <div class="muted">
            <ShownText text={keys.get(key) ?? key} />
          </div>
        )}
      </>
    ),
  },
  ...COUNTS.map((name) => ({
    title: own.counts[name],
    show: (use: Use) => spellNumber(use[name]),
    isNumber: true,
  })),
];
