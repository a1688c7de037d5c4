import { stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CommandServer, ServerPlace } from '../../../kernel/command-api.ts';
import { NODE_VERSION, readOrdinaryFile, readSecretFile, withinTime } from '../../../kernel/internal-api.ts';
import { type Clock, ServiceError } from '../../../kernel/plugin-api.ts';
import { hasOwnKey } from '../client-key.ts';
import { type Client, hooksIn, type Place } from '../clients/client.ts';
import { connectionWords, placeWords } from '../command-line-of.ts';
import { type ConnectionRecord, readRecord } from '../connection-record.ts';
import { readJson } from '../json-edit.ts';
import type { Finding } from './finding.ts';
import { describeEntry, type Env, readTarget, recordedEntry, type Target, variableOf } from './read-target.ts';
import { openHttpChannel, openStdioChannel } from './rpc-channels.ts';
import { greetServer } from './rpc-exchange.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_LINE_LENGTH = 4_096;
const ASK_MS = 10_000;
const MCP_MS = 20_000;
const SOON_MS = 14 * 24 * 3_600_000;

export interface CheckParts {
  readonly clock: Clock;
  readonly env: Env;
  /** Asks the user whether to use an entry that `connect` has not written. */
  approve(question: string): Promise<boolean>;
  openServer(place: ServerPlace): Promise<CommandServer>;
}

type Report = (check: string, state: Finding['state'], detail: string, more?: Partial<Finding>) => void;

/** Tests a connection as the client would use it. Never throws for a faulty connection. */
export const checkClient = async (
  client: Client,
  place: Place,
  name: string,
  parts: CheckParts,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  const report: Report = (check, state, detail, more = {}) =>
    void findings.push({ client: client.name, check, state, detail, ...more });
  const record = await readRecord(client.name, place).catch(() => undefined);
  const serverName = record?.name ?? name;
  const targetPlace = { client, place, name: serverName, record, env: parts.env };
  const written = record && (await recordedEntry(client, client.serverFile(place), record).catch(() => undefined));
  const connectBy = (target: Target | undefined) => {
    const entry = target?.entry ?? written;
    const keyVariable = entry?.url === undefined ? undefined : variableOf(entry);
    const how = { url: target?.url ?? record?.url, name: serverName, isHttp: entry?.url !== undefined, keyVariable };
    return `fact-memory-node connect ${client.name}${placeWords(place)}${connectionWords(how)}`;
  };
  const target = await attempt(report, 'entry', connectBy(undefined), () => readTarget(targetPlace));
  const again = connectBy(target);
  await checkHooks(client, place, parts.env, report, again);
  if (target === undefined || !(await isApproved(target, client.serverFile(place), parts, report))) return findings;
  const { url, keyFile } = target;
  const server = await attempt(report, 'entry', again, () => parts.openServer({ url, keyFile }));
  if (server === undefined) return findings;
  report('entry', 'ok', `${client.serverFile(place)} names ${target.url}`);
  if (!(await checkNode(server, report))) return findings;
  const isGood = await attempt(report, 'key', again, () => checkKey(server, target, record, parts, report, again));
  await checkMcp(server, target, parts, report, isGood === true);
  if (isGood === true) await checkRecall(server, target.key, parts.clock, report);
  return findings;
};

/**
 * Asks the user before anything in the file is started or called, because a file of a project may come from a stranger.
 */
const isApproved = async (target: Target, file: string, { approve }: CheckParts, report: Report): Promise<boolean> => {
  if (target.isRecorded) return true;
  const what = `"connect" did not write the entry of ${file}, which ${describeEntry(target)}`;
  if (await approve(what)) return true;
  report('entry', 'broken', `not checked: ${what}`, {
    fix: 'read the entry; if it is yours, run this with --yes, or remove the entry and connect again',
  });
  return false;
};

const attempt = async <T>(
  report: Report,
  check: string,
  fix: string,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    report(check, 'broken', error.message, { fix: error.hint ?? `run "${fix}"` });
    return undefined;
  }
};

const checkNode = async (server: CommandServer, report: Report): Promise<boolean> => {
  const reply = await server
    .send({ method: 'GET', path: '/readyz', timeoutMs: ASK_MS, key: null })
    .catch(() => undefined);
  if (reply === undefined) {
    report('node', 'broken', `${server.url} does not answer`, {
      fix: 'start the node, or connect again with --url',
    });
    return false;
  }
  if (reply.status === 200) report('node', 'ok', 'the node is ready');
  else
    report('node', 'broken', `the node is not ready: status ${reply.status}`, { fix: 'look into the log of the node' });
  return reply.status === 200;
};

const checkKey = async (
  server: CommandServer,
  target: Target,
  record: ConnectionRecord | undefined,
  { clock, env }: CheckParts,
  report: Report,
  again: string,
): Promise<boolean> => {
  const { key, keyFile } = target;
  const ask = (path: string) =>
    server.send({ method: 'GET', path, timeoutMs: ASK_MS, ...(key === undefined ? {} : { key }) });
  const { status, document } = await ask('/v1/me');
  const sendMade = await wayToMadeKey(target, record);
  if (status !== 200) {
    const isKeyed = key !== undefined || (await hasOwnKey(server, keyFile, env));
    const why = isKeyed ? 'the node refuses the key' : 'no key is found';
    const fix = sendMade ?? `run "${again}" with --key-file and the key of an administrator`;
    report('key', 'broken', why, { fix });
    return false;
  }
  const permissions = Array.isArray(document['permissions']) ? document['permissions'].map(String) : [];
  const missing = ['read', 'write'].filter((one) => !permissions.includes(one) && !permissions.includes('admin'));
  if (missing.length > 0)
    report('key', 'warning', `the key may not ${missing.join(' nor ')}`, { fix: 'use another key' });
  if (permissions.includes('admin')) {
    const fix = sendMade ?? `run "${again}": it makes a key for the client`;
    report('key', 'warning', 'the key may administrate', { fix });
  }
  const listed: unknown = JSON.parse((await ask('/v1/auth/keys')).text || '[]');
  const keys = Array.isArray(listed) ? (listed as { readonly id?: unknown; readonly expires_at?: unknown }[]) : [];
  const own = keys.find(({ id }) => id === record?.key?.id) ?? (keys.length === 1 ? keys[0] : undefined);
  const endMs = typeof own?.expires_at === 'string' ? Date.parse(own.expires_at) : Number.POSITIVE_INFINITY;
  if (endMs - clock.nowMs() < SOON_MS) {
    report('key', 'warning', `the key ends ${own?.expires_at}`, { fix: 'run "fact-memory-node rotate key"' });
  } else report('key', 'ok', `the key stands for ${document['entity_uri']} and may ${permissions.join(', ')}`);
  return true;
};

/**
 * Returns the advice to send the key that was made for a client over HTTP, because another run of "connect" would make
 * a second one. Undefined for a client that sends it already.
 */
const wayToMadeKey = async (
  { key, keyVariable }: Target,
  record: ConnectionRecord | undefined,
): Promise<string | undefined> => {
  const file = record?.key?.file;
  if (keyVariable === undefined || file === undefined) return undefined;
  const made = await readSecretFile(file).catch(() => undefined);
  if (made === undefined || made === key) return undefined;
  return `start the client with the key in ${file} as its variable ${keyVariable}`;
};

const checkMcp = async (
  server: CommandServer,
  target: Target,
  { clock, env }: CheckParts,
  report: Report,
  hasGoodKey: boolean,
): Promise<void> => {
  const { entry, path, key } = target;
  const startedMs = clock.monotonicMs();
  const isStdio = entry.url === undefined;
  const channel = isStdio ? openStdioChannel(entry, env) : openHttpChannel(server, path, key, MCP_MS);
  const fix = isStdio
    ? `try it by hand: ${[entry.command, ...entry.args].join(' ')}`
    : hasGoodKey
      ? 'look whether the plugin "mcp" is on at the node'
      : 'see to the key first';
  try {
    const late = () => new ServiceError('unavailable', `no reply within ${MCP_MS / 1_000} s`);
    const { tools, protocolVersion } = await withinTime(
      clock,
      MCP_MS,
      () => greetServer(channel.send, NODE_VERSION),
      late,
    );
    const ms = Math.round(clock.monotonicMs() - startedMs);
    report(
      'mcp',
      tools > 0 ? 'ok' : 'warning',
      `${tools} tools over ${isStdio ? 'stdio' : 'HTTP'}, protocol ${protocolVersion}`,
      { ms },
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    report('mcp', 'broken', error.message, { fix });
  } finally {
    channel.close();
  }
};

const checkRecall = async (server: CommandServer, key: string | undefined, clock: Clock, report: Report) => {
  const startedMs = clock.monotonicMs();
  const { status } = await server.send({
    method: 'POST',
    path: '/v1/recall',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ query: 'what is known', token_budget: 200 })),
    timeoutMs: ASK_MS,
    ...(key === undefined ? {} : { key }),
  });
  const ms = Math.round(clock.monotonicMs() - startedMs);
  if (status === 200) report('recall', 'ok', `a recall took ${ms} ms`, { ms });
  else report('recall', 'broken', `a recall failed with status ${status}`, { fix: 'look into the log of the node' });
};

const checkHooks = async (client: Client, place: Place, env: Env, report: Report, again: string): Promise<void> => {
  const hooks = hooksIn(client, place);
  if (hooks === undefined) return report('hooks', 'ok', `${client.title} has no hooks${inScope(client, place)}`);
  const file = hooks.file(place);
  const text = (await readOrdinaryFile(file, MAX_FILE_BYTES).catch(() => undefined))?.toString('utf8');
  const found = text === undefined ? undefined : await readJson(text).catch(() => undefined);
  if (text !== undefined && found === undefined)
    return report('hooks', 'broken', `${file} is no valid JSON`, { fix: 'mend it' });
  const commands = commandsIn(found, client.name);
  const missing = hooks.names.filter((hook) => !commands.some((one) => one.includes(` hook ${hook} `)));
  for (const program of new Set(commands.flatMap(programsOf))) {
    if (await isRunnable(program, env)) continue;
    return report('hooks', 'broken', `the program of a hook is gone: ${program}`, { fix: `run "${again}"` });
  }
  if (missing.length === 0) return report('hooks', 'ok', `hooks are set up: ${hooks.names.join(', ')}`);
  report('hooks', 'warning', `hooks that are not set up: ${missing.join(', ')}`, { fix: `run "${again}"` });
};

const inScope = ({ hooks }: Client, { scope }: Place): string => (hooks === undefined ? '' : ` for the scope ${scope}`);

/** Returns all command lines of this program, at any depth of the client's file. */
const commandsIn = (value: unknown, client: string): string[] => {
  if (typeof value === 'string')
    return value.includes(` --client ${client} `) || value.endsWith(` --client ${client}`) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => commandsIn(inner, client));
};

/** Returns the words before `hook`: an interpreter and its script, or a program. */
const programsOf = (line: string): string[] =>
  [...line.slice(0, Math.min(line.indexOf(' hook '), MAX_LINE_LENGTH)).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

const isRunnable = async (program: string, env: Env): Promise<boolean> => {
  const places = isAbsolute(program)
    ? [program]
    : (env['PATH'] ?? '')
        .split(delimiter)
        .flatMap((folder) => ['', '.cmd', '.exe'].map((end) => join(folder, program + end)));
  for (const path of places) {
    if ((await stat(path).catch(() => undefined))?.isFile() === true) return true;
  }
  return false;
};
