import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { fill, spellNumber, type Texts } from '../../texts/texts.ts';
import { readSamples, type Sample } from '../overview/read-metrics.ts';

const KINDS = ['reads', 'writes', 'recalls', 'others'] as const;
type Kind = (typeof KINDS)[number];

interface Traffic {
  readonly kind: Kind;
  readonly requests: number;
}

/** Requests and bytes of the whole node since it started, for readers of its metrics. Reads leave no entry. */
export const NodeTraffic = () => {
  const { client, setup, reader, own } = useSession('audit');
  const mayMeasure = reader.tenant_id === 'default' && may(reader, 'admin', 'audit.read');
  const hasMetrics = mayMeasure && hasRoute(setup, 'GET /v1/metrics');
  const { data: samples = [] } = useRequest(
    async (signal) => (hasMetrics ? readSamples(String(await client.call('GET /v1/metrics', { signal }))) : []),
    [hasMetrics],
  );
  if (samples.length === 0) return null;
  const named = (name: string): readonly Sample[] =>
    samples.filter((sample) => sample.name === `${setup.service.replaceAll('-', '_')}_http_${name}_total`);
  const requests = named('requests');
  const rows = KINDS.map((kind) => ({ kind, requests: sumOf(requests.filter((sample) => kindOf(sample) === kind)) }));
  return (
    <>
      <h3>{own.traffic}</h3>
      <RecordTable label={own.traffic} columns={columnsOf(own)} rows={rows} keyOf={({ kind }) => kind} empty={null} />
      <p class="after-table muted">
        {fill(own.bytes, { received: sumOf(named('received_bytes')), sent: sumOf(named('sent_bytes')) })}
      </p>
    </>
  );
};

const sumOf = (samples: readonly Sample[]): number => samples.reduce((sum, { value }) => sum + value, 0);

const kindOf = ({ labels: { route = '', method } }: Sample): Kind => {
  if (route === '/v1/recall') return 'recalls';
  if (!route.startsWith('/v1/facts')) return 'others';
  return method === 'GET' ? 'reads' : 'writes';
};

const columnsOf = (own: Texts['audit']): readonly Column<Traffic>[] => [
  { title: own.asked, show: ({ kind }) => own.kinds[kind] },
  { title: own.requests, show: ({ requests }) => spellNumber(requests), isNumber: true },
];
