import { waitUntil } from '../kit/wait-until.ts';
import type { BackupPlace } from '../plugins/backup/backup-place.ts';

const LIMIT_MS = 240_000;

/** Returns when the present period of the keys of a sealed store began; undefined before a node has said it. */
export const beganMs = async (place: BackupPlace): Promise<unknown> => {
  const settings = ((await place.rows()).get('node_settings') ?? []).map((row) => JSON.parse(row));
  const setting = settings.find(({ key }) => key === 'content_seal');
  return JSON.parse(String(setting?.value)).period_began_ms;
};

/** Starts the node as a day later, and waits until it has begun another period. */
export const passDay = async (place: BackupPlace, env: Readonly<Record<string, string>>): Promise<void> => {
  const changed =
    place.kind === 'sqlite'
      ? "json_set(value, '$.period_began_ms', 0)"
      : "jsonb_set(value::jsonb, '{period_began_ms}', '0')::text";
  await place.tamper(`UPDATE node_settings SET value = ${changed} WHERE key = 'content_seal'`);
  const node = await place.start(env);
  await waitUntil('another period has begun', LIMIT_MS, async () => Number(await beganMs(place)) > 0);
  await node.end();
};
