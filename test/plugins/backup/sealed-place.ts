import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type BackupPlace, fact, request } from './backup-place.ts';

type Env = Record<string, string>;

/** Writes a file of these keys of the operator, the present one first. Returns the variable that names the file. */
export const holdKeys = ({ work }: Pick<BackupPlace, 'work'>, ...keys: readonly Buffer[]): Env => {
  const file = work.path('keys');
  writeFileSync(file, keys.map((key) => key.toString('hex')).join('\n'), { mode: 0o600 });
  return keys.length === 0 ? {} : { SVC_ENCRYPTION_KEY_FILE: file };
};

/** Stores a fact about each entity with a node of its own. */
export const remember = async (
  place: BackupPlace,
  env: Env,
  ...facts: readonly (readonly [entity: string, value: string])[]
): Promise<void> => {
  const node = await place.start(env);
  for (const [entity, value] of facts) {
    expect((await request(node, 'POST', '/v1/facts', fact(entity, value))).status).to.equal(201);
  }
  await node.end();
};

/** Erases an entity through a running node. Returns the receipt. */
export const eraseEntity = async (
  node: Parameters<typeof request>[0],
  entity: string,
): Promise<Awaited<ReturnType<typeof request>>['body']> => {
  const { body: tombstone } = await request(node, 'POST', '/v1/tombstones', { entity_uri: entity });
  const { status, body } = await request(node, 'POST', `/v1/tombstones/${tombstone.id}/erase`, { confirm: entity });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
};

/** Runs a command that must succeed. Returns its output. */
export const succeed = async (place: BackupPlace, env: Env, ...argv: readonly string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await place.run(argv, env);
  expect(exitCode, stdout + stderr).to.equal(0);
  return stdout.trim();
};
