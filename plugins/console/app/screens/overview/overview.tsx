import { useState } from 'preact/hooks';
import { Problem } from '../../kit/problem.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { ContradictionsCard } from './contradictions-card.tsx';
import { CountsSection } from './counts-section.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { HealthCard } from './health-card.tsx';
import { JobsCard } from './jobs-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { LatencyCard } from './latency-card.tsx';
import { LatestFacts } from './latest-facts.tsx';
import { readSamples } from './read-metrics.ts';

/** The state of the memory, and open tasks. Cards of missing plugins and missing rights are left out. */
export const Overview = () => {
  const { client, texts, setup, reader } = useSession();
  const { overview: own } = texts;
  const [round, setRound] = useState(0);
  const mayRead = may(reader, 'read');
  const hasMetrics = hasRoute(setup, 'GET /v1/metrics') && may(reader, 'admin', 'audit.read');
  const metrics = useRequest(
    async (signal) => (hasMetrics ? readSamples(String(await client.call('GET /v1/metrics', { signal }))) : undefined),
    [round],
  );
  const samples = metrics.data;
  return (
    <>
      <div class="bar overview-head">
        <h1 class="grow">{texts.screens.overview}</h1>
        <button type="button" onClick={() => setRound(round + 1)}>
          {own.refresh}
        </button>
      </div>
      {metrics.error !== undefined && <Problem error={metrics.error} retry={metrics.reload} />}
      <div class="cards overview-cards">
        <HealthCard round={round} samples={samples} />
        {mayRead && hasRoute(setup, 'GET /v1/conflicts') && <ContradictionsCard round={round} />}
        {samples !== undefined && hasRoute(setup, 'POST /v1/recall') && <LatencyCard samples={samples} />}
        {mayRead && hasRoute(setup, 'GET /v1/jobs') && <JobsCard round={round} />}
        {mayRead && hasRoute(setup, 'GET /v1/subscriptions') && <DeliveriesCard round={round} />}
        {may(reader, 'admin') && hasRoute(setup, 'GET /v1/auth/keys/expiring-soon') && <KeysCard round={round} />}
      </div>
      {mayRead && hasRoute(setup, 'GET /v1/facts/{id}/history') && <CountsSection round={round} />}
      {mayRead && hasRoute(setup, 'GET /v1/facts') && <LatestFacts round={round} />}
    </>
  );
};
