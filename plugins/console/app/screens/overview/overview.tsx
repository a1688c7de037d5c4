import { useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { Problem } from '../../kit/problem.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { ContradictionsCard } from './contradictions-card.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { HealthCard } from './health-card.tsx';
import { JobsCard } from './jobs-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { LatencyCard } from './latency-card.tsx';
import { LatestFacts } from './latest-facts.tsx';
import { type RankedCard, RankedCards } from './ranked-cards.tsx';
import { readSamples } from './read-metrics.ts';

/** The state of the memory, open tasks first. Cards of missing plugins and missing rights are left out. */
export const Overview = () => {
  const { client, texts, setup, reader, own } = useSession('overview');
  const [round, setRound] = useState(0);
  const mayRead = may(reader, 'read');
  const hasMetrics = hasRoute(setup, 'GET /v1/metrics') && may(reader, 'admin', 'audit.read');
  const metrics = useRequest(
    async (signal) => (hasMetrics ? readSamples(String(await client.call('GET /v1/metrics', { signal }))) : undefined),
    [round],
  );
  const samples = metrics.data;
  const cards: readonly (RankedCard & { readonly isOffered: boolean })[] = [
    { name: 'health', isOffered: true, card: <HealthCard round={round} samples={samples} /> },
    {
      name: 'deliveries',
      isOffered: mayRead && hasRoute(setup, 'GET /v1/subscriptions'),
      card: <DeliveriesCard round={round} />,
    },
    { name: 'jobs', isOffered: mayRead && hasRoute(setup, 'GET /v1/jobs'), card: <JobsCard round={round} /> },
    {
      name: 'contradictions',
      isOffered: mayRead && hasRoute(setup, 'GET /v1/conflicts'),
      card: <ContradictionsCard round={round} />,
    },
    {
      name: 'keys',
      isOffered: may(reader, 'admin') && hasRoute(setup, 'GET /v1/auth/keys/expiring-soon'),
      card: <KeysCard round={round} />,
    },
    {
      name: 'latency',
      isOffered: samples !== undefined && hasRoute(setup, 'POST /v1/recall'),
      card: <LatencyCard samples={samples ?? []} />,
    },
  ];
  return (
    <>
      <div class="bar overview-head">
        <h1 class="grow">{texts.screens.overview}</h1>
        <Button text={own.refresh} onClick={() => setRound(round + 1)} />
      </div>
      {metrics.error !== undefined && <Problem error={metrics.error} retry={metrics.reload} />}
      <RankedCards cards={cards.flatMap(({ isOffered, ...each }) => (isOffered ? [each] : []))} />
      {mayRead && hasRoute(setup, 'GET /v1/facts') && <LatestFacts round={round} />}
    </>
  );
};
