import type { NodeDescription, Telemetry } from '../../kernel/plugin-api.ts';

/** Measures the replicas of the store, as this process knows them. Their addresses hold no password. */
export const measureReplicas = (telemetry: Telemetry, description: NodeDescription): void => {
  telemetry.gauge(
    { name: 'store_replica_in_use', help: 'Whether reads may go to the replica now (1)', labels: ['replica'] },
    async () =>
      (await description.readReplicas()).map(({ address, leftOut }) => ({
        value: Number(leftOut === null),
        labels: { replica: address },
      })),
  );
  telemetry.gauge(
    {
      name: 'store_replica_lag_bytes',
      help: 'Bytes of the log of the primary that the replica has not replayed yet',
      labels: ['replica'],
    },
    async () =>
      (await description.readReplicas()).flatMap(({ address, lagBytes }) =>
        lagBytes === null ? [] : [{ value: lagBytes, labels: { replica: address } }],
      ),
  );
  telemetry.gauge(
    {
      name: 'store_replica_reads',
      help: 'Reads since the process began that the replica served, and those that the primary served in its place',
      labels: ['replica', 'server'],
    },
    async () =>
      (await description.readReplicas()).flatMap(({ address, reads, readsOnPrimary }) => [
        { value: reads, labels: { replica: address, server: 'replica' } },
        { value: readsOnPrimary, labels: { replica: address, server: 'primary' } },
      ]),
  );
};
