import type { NodeDescription, Telemetry } from '../../kernel/plugin-api.ts';

/** Measures whether the store is sealed. The id of the key is a part of a digest, and tells nothing of the key. */
export const measureSeal = (telemetry: Telemetry, description: NodeDescription): void =>
  telemetry.gauge(
    {
      name: 'store_sealed',
      help: 'Whether the contents of the store are sealed (1), and the id of the key of the operator that opens them',
      labels: ['key_id'],
      of: 'store',
    },
    async () => {
      const { isSealed, keyId } = await description.readSeal();
      return [{ value: Number(isSealed), labels: { key_id: keyId ?? '' } }];
    },
  );
