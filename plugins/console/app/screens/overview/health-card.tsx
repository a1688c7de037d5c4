import { Instant } from '../../kit/instant.tsx';
import { Problem } from '../../kit/problem.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Loading } from '../../kit/state.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import { OverviewCard } from './overview-card.tsx';
import type { Sample } from './read-metrics.ts';

interface HealthCardProps {
  readonly round: number;
  /** The metrics of the node; undefined for a key that may not read them. */
  readonly samples: readonly Sample[] | undefined;
}

/** The state, identity and uptime of the node. */
export const HealthCard = ({ round, samples }: HealthCardProps) => {
  const { client, setup, own } = useSession('overview');
  const health = useRequest(
    async (signal) => {
      const settings = { signal, retries: 0 };
      await client.call('GET /healthz', settings);
      await client.call('GET /readyz', settings);
      return true;
    },
    [round],
  );
  const started = samples?.find(({ name }) => name === 'process_start_time_seconds')?.value;
  return (
    <OverviewCard title={own.health} needs={health.error !== undefined}>
      {health.error !== undefined && <Problem error={health.error} retry={health.reload} />}
      {health.data === undefined && health.isLoading && <Loading />}
      {health.data === true && health.error === undefined && <p class="figure good">{own.serves}</p>}
      <dl class="members">
        <dt>{own.version}</dt>
        <dd>{setup.version}</dd>
        <dt>{own.node}</dt>
        <dd>
          <ShownText text={setup.node_id} />
        </dd>
        {started !== undefined && (
          <>
            <dt>{own.started}</dt>
            <dd>
              <Instant at={new Date(started * 1_000).toISOString()} relative />
            </dd>
          </>
        )}
      </dl>
    </OverviewCard>
  );
};
