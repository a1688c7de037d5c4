import { readFile, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CommandServer, ServerPlace } from '../../../kernel/command-api.ts';
import { readSecretFile, withinTime } from '../../../kernel/internal-api.ts';
import { type Clock, NODE_VERSION, ServiceError } from '../../../kernel/plugin-api.ts';
import type { Client, Place, WrittenEntry } from '../clients/client.ts';
import { type ConnectionRecord, readRecord } from '../connection-record.ts';
import { readJson, valueAt } from '../json-edit.ts';
import type { Finding } from './finding.ts';
import { openHttpChannel, openStdioChannel } from './rpc-channels.ts';
import { greetServer } from './rpc-exchange.ts';

const ASK_MS = 10_000;
const MCP_MS = 20_000;
const SOON_MS = 14 * 24 * 3_600_000;

type Env = Readonly<Record<string, string | undefined>>;

export interface CheckParts {
  readonly clock: Clock;
  readonly env: Env;
  openServer(place: ServerPlace): Promise<CommandServer>;
}

/** The entry of a client with every reference resolved. */
interface Target {
  readonly entry: WrittenEntry;
  readonly url: string;
  readonly path: string;
  /** Undefined if the started program finds a key by itself. */
  readonly key: string | undefined;
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
  const again = `fact-memory-node connect ${client.name}${place.scope === 'project' ? ' --scope project' : ''}`;
  const target = await attempt(report, 'entry', again, () => readTarget(client, place, record?.name ?? name, parts));
  await checkHooks(client, place, parts.env, report, again);
  if (target === undefined) return findings;
  report('entry', 'ok', `${client.serverFile(place)} names ${target.url}`);
  const server = await attempt(report, 'node', again, () => parts.openServer({ url: target.url }));
  if (server === undefined) return findings;
  if (!(await checkNode(server, report))) return findings;
  const key = target.key ?? (await server.keptKey());
  const isGood = await checkKey(server, key, record, parts.clock, report, again);
  await checkMcp(server, target, parts, report);
  if (isGood) await checkRecall(server, key, parts.clock, report);
  return findings;
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

const readTarget = async (client: Client, place: Place, name: string, { env }: CheckParts): Promise<Target> => {
  const file = client.serverFile(place);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new ServiceError('lookup', `there is no file ${file}`);
  const entry = await client.readEntry(text, name).catch((error: unknown) => {
    throw error instanceof ServiceError ? new ServiceError('validation', `${file} ${error.message}`) : error;
  });
  if (entry === undefined) throw new ServiceError('lookup', `${file} has no server ${name}`);
  const address = entry.url ?? optionOf(entry.args, '--url') ?? env['SVC_URL'] ?? 'http://127.0.0.1:8765';
  if (!URL.canParse(address)) throw new ServiceError('validation', `the address in ${file} is no URL`);
  const path = entry.url === undefined ? '' : new URL(address).pathname;
  const url = path === '' ? address : address.slice(0, address.lastIndexOf('/v1/mcp'));
  return { entry, url, path, key: await keyOf(entry, env) };
};

const optionOf = (args: readonly string[], name: string): string | undefined => {
  const place = args.indexOf(name);
  return place < 0 ? undefined : args[place + 1];
};

/** The key that the client would send, as far as this program can tell. */
const keyOf = async ({ args, env: own, headers, bearerVariable, url }: WrittenEntry, env: Env) => {
  const file = optionOf(args, '--key-file');
  if (file !== undefined) {
    const key = await readSecretFile(file);
    if (key === undefined) throw new ServiceError('lookup', `the file of the key is gone: ${file}`);
    return key;
  }
  const header = headers['Authorization'] ?? '';
  const variable = url === undefined ? 'SVC_API_KEY' : (bearerVariable ?? /\$\{(?:env:)?(\w+)\}/.exec(header)?.[1]);
  const value = variable === undefined ? undefined : (own[variable] ?? env[variable])?.trim();
  return value === '' ? undefined : value;
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
  key: string | undefined,
  record: ConnectionRecord | undefined,
  clock: Clock,
  report: Report,
  again: string,
): Promise<boolean> => {
  const ask = (path: string) =>
    server.send({ method: 'GET', path, timeoutMs: ASK_MS, ...(key === undefined ? {} : { key }) });
  const { status, document } = await ask('/v1/me');
  if (status !== 200) {
    const why = key === undefined ? 'no key is found' : 'the node refuses the key';
    report('key', 'broken', why, { fix: `run "${again}" with --key-file and the key of an administrator` });
    return false;
  }
  const permissions = Array.isArray(document['permissions']) ? document['permissions'].map(String) : [];
  const missing = ['read', 'write'].filter((one) => !permissions.includes(one) && !permissions.includes('admin'));
  if (missing.length > 0)
    report('key', 'warning', `the key may not ${missing.join(' nor ')}`, { fix: 'use another key' });
  if (permissions.includes('admin')) {
    report('key', 'warning', 'the key may administrate', { fix: `run "${again}": it makes a key for the client` });
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

const checkMcp = async (server: CommandServer, target: Target, { clock, env }: CheckParts, report: Report) => {
  const { entry, path, key } = target;
  const startedMs = clock.monotonicMs();
  const isStdio = entry.url === undefined;
  const channel = isStdio ? openStdioChannel(entry, env) : openHttpChannel(server, path, key, MCP_MS);
  const fix = isStdio
    ? `try it by hand: ${[entry.command, ...entry.args].join(' ')}`
    : 'look whether the plugin "mcp" is on at the node';
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
  const { hooks } = client;
  if (hooks === undefined) return report('hooks', 'ok', `${client.title} has no hooks`);
  const file = hooks.file(place);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const found = text === undefined ? undefined : await readJson(text).catch(() => undefined);
  if (text !== undefined && found === undefined)
    return report('hooks', 'broken', `${file} is no valid JSON`, { fix: 'mend it' });
  const commands = commandsIn(valueAt(found, ['hooks']), client.name);
  const missing = hooks.names.filter((hook) => !commands.some((one) => one.includes(` hook ${hook} `)));
  for (const program of new Set(commands.flatMap(programsOf))) {
    if (await isRunnable(program, env)) continue;
    return report('hooks', 'broken', `the program of a hook is gone: ${program}`, { fix: `run "${again}"` });
  }
  if (missing.length === 0) return report('hooks', 'ok', `hooks are set up: ${hooks.names.join(', ')}`);
  report('hooks', 'warning', `hooks that are not set up: ${missing.join(', ')}`, { fix: `run "${again}"` });
};

/** All command lines of this program, at any depth of the client's file. */
const commandsIn = (value: unknown, client: string): string[] => {
  if (typeof value === 'string')
    return value.includes(` --client ${client} `) || value.endsWith(` --client ${client}`) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => commandsIn(inner, client));
};

/** The words before `hook`: an interpreter and its script, or a program. */
const programsOf = (line: string): string[] =>
  [...line.slice(0, line.indexOf(' hook ')).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
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
