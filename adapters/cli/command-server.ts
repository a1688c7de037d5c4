import type { CommandServer, ServerPlace, ServerReply } from '../../kernel/command-api.ts';
import {
  createServiceNames,
  DEFAULT_SERVICE_NAME,
  givenText,
  maskUrls,
  readNamedSecret,
  type ServerRequest,
} from '../../kernel/internal-api.ts';
import { type Random, ServiceError } from '../../kernel/plugin-api.ts';
import { exchangeHttp, REDIRECTED } from './exchange-http.ts';
import { type Environment, isKeyOfAnotherAddress, keyFileOf, ownFolder } from './key-file.ts';
import { dataFolderOf, leftAddress } from './node-address.ts';

const REQUEST_TIMEOUT_MS = 120_000;
const DEFAULT_URL = 'http://127.0.0.1:8765';

/** Options of every command that sends requests to a running node. */
export const SERVER_OPTIONS: readonly (readonly [flags: string, summary: string])[] = [
  ['--url <url>', `base address of the node (SVC_URL, else that of the data folder, else ${DEFAULT_URL})`],
  [
    '--key-file <file>',
    'file that holds the API key (default: SVC_API_KEY for the address of SVC_URL, then the key of a login)',
  ],
];

interface NamedAddress {
  readonly url: string;
  /** The source of the address, for people, such as `the default address`. */
  readonly from: string;
  /** The reason why the address is not the expected one. */
  readonly remark?: string;
}

/** A key, and its source for people, such as `SVC_API_KEY`. */
interface NamedKey {
  readonly key: string;
  readonly from: string;
}

export interface CommandPlace {
  readonly env: Environment;
  /** The data folder of the configuration; by default the one that the environment names. */
  readonly dataFolder?: string | undefined;
  /** The name of the service in the configuration; by default the one in the environment. */
  readonly serviceName?: string | undefined;
  /** Receives remarks for the person who has typed the command. */
  readonly tell?: (remark: string) => void;
}

/** Returns the address to which the variable SVC_API_KEY belongs. */
const findHomeAddress = async (env: Environment, dataFolder: string): Promise<NamedAddress> => {
  const url = givenText(env, 'SVC_URL');
  if (url !== undefined) return { url, from: 'the address in SVC_URL' };
  const left = await leftAddress(dataFolder);
  if (left === undefined) return { url: DEFAULT_URL, from: 'the default address' };
  if ('url' in left) return { url: left.url, from: `the address in ${left.file}` };
  return { url: DEFAULT_URL, from: 'the default address', remark: `${left.file} is ignored: ${left.ignored}` };
};

/**
 * Returns a client of a running node. Rejects for a wrong address or an unusable key file; only `send` connects. Each
 * key goes to one address: the variable SVC_API_KEY to the home address, a key of the user's own folder to the one that
 * it was made for.
 */
export const connectServer = async (
  { url, keyFile }: ServerPlace,
  {
    env,
    dataFolder = dataFolderOf(env),
    serviceName = givenText(env, 'SVC_SERVICE_NAME'),
    tell = () => {},
  }: CommandPlace,
  random: Random,
): Promise<CommandServer> => {
  const homeAddress = await findHomeAddress(env, dataFolder);
  if (homeAddress.remark !== undefined) tell(homeAddress.remark);
  const home = canonicalAddress(homeAddress.url);
  const base = url === undefined ? home : canonicalAddress(url);
  if (base === undefined) {
    throw new ServiceError('validation', 'the address of the node is not an http or https URL', {
      hint: `give one like ${DEFAULT_URL} with --url or SVC_URL`,
    });
  }
  const address = { url: base, from: url === undefined ? homeAddress.from : 'the address of --url' };
  const file = keyFileOf(base, env);
  const variable = env['SVC_API_KEY']?.trim() ?? '';
  const isElsewhere = variable !== '' && base !== home;
  const kept = async (): Promise<NamedKey> => {
    const key = await file?.read();
    if (key === undefined && isElsewhere) throw keyOfAnotherAddress('SVC_API_KEY holds the key of another address');
    return { key: key ?? '', from: 'the file of the login' };
  };
  const named = keyFile === undefined ? undefined : { key: await readNamedFile(keyFile, base, env), from: keyFile };
  let usual = named ?? (variable === '' || isElsewhere ? undefined : { key: variable, from: 'SVC_API_KEY' });
  return {
    url: base,
    async send({ session, ...request }) {
      if (request.key === undefined) usual ??= await kept();
      const given = { key: request.key ?? '', from: 'your input' };
      const field = createServiceNames(serviceName ?? DEFAULT_SERVICE_NAME).headers.session;
      const headers = { ...request.headers, ...(session !== undefined && { [field]: session }) };
      return send(address, request.key === undefined ? (usual ?? given) : given, { ...request, headers });
    },
    async saveKey(fresh) {
      if (file === undefined) throw noFolder();
      const path = await file.write(fresh, random);
      return { path, isUsed: variable === '' || isElsewhere };
    },
    savedKey: async () => file?.read(),
    forgetKey: async () => file?.remove(),
    stateFolder: async () => {
      const left = await leftAddress(dataFolder);
      return left !== undefined && 'url' in left && left.url === base ? dataFolder : (ownFolder(env) ?? dataFolder);
    },
    remember: async (name, text) => file?.remember(name, text, random),
    remembered: async (name) => file?.remembered(name),
  };
};

/** Returns one spelling of an address, without a trailing slash; undefined for anything but an http or https URL. */
const canonicalAddress = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  let end = href.length;
  while (href[end - 1] === '/') end -= 1;
  return href.slice(0, end);
};

const readNamedFile = async (keyFile: string, base: string, env: Environment): Promise<string> => {
  if (await isKeyOfAnotherAddress(keyFile, base, env)) {
    throw keyOfAnotherAddress(`${keyFile} holds the key of another address`);
  }
  const key = await readNamedSecret(keyFile);
  if (key === undefined) throw new ServiceError('lookup', `there is no file ${keyFile}`);
  return key;
};

const keyOfAnotherAddress = (message: string): ServiceError =>
  new ServiceError('authorization', message, {
    hint: 'set SVC_URL to the address of its node, or name a file with a key of this address with --key-file',
  });

const noFolder = (): ServiceError =>
  new ServiceError('unavailable', 'there is no folder to keep the key in', {
    hint: 'set HOME, or XDG_CONFIG_HOME, to the absolute path of a folder of yours',
  });

/** Sends a request. Without a key it sends no credential, for a node that requires none. */
const send = async (
  { url: base, from }: NamedAddress,
  key: NamedKey,
  { method, path, ...rest }: ServerRequest,
): Promise<ServerReply> => {
  const credential = credentialOf(key);
  try {
    const { status, headers, text } = await exchangeHttp(`${base}${path}`, {
      method,
      headers: { ...rest.headers, ...credential },
      body: rest.body,
      timeoutMs: rest.timeoutMs ?? REQUEST_TIMEOUT_MS,
    });
    const header = (name: string): string | undefined => headers[name.toLowerCase()]?.toString();
    const reply = { status, header, text, document: parseObject(text) };
    return key.key === '' ? reply : { ...reply, keyFrom: key.from };
  } catch (cause) {
    throw new ServiceError('unavailable', `no answer from ${maskUrls(base)}, ${from}`, { cause, hint: hintOf(cause) });
  }
};

const hintOf = (cause: unknown): string =>
  HINTS[(cause as NodeJS.ErrnoException).code ?? ''] ??
  'start the node with "fact-memory-node start", or name another address with --url or SVC_URL';

const UNKNOWN_NAME = 'no machine with this name was found: correct the address of --url or SVC_URL';
const UNTRUSTED = 'its certificate is not trusted here: name the file of its authority in NODE_EXTRA_CA_CERTS';

/** Hints for failures that starting a node does not help. */
const HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: UNKNOWN_NAME,
  EPROTO: 'the server there does not speak https: begin the address with http://',
  ECONNRESET:
    'the connection was cut: begin the address with https:// if the server speaks that, or look into the log of the node',
  HPE_INVALID_CONSTANT: 'the server there does not speak http: correct the port in the address of --url or SVC_URL',
  [REDIRECTED]: 'the server there sends its callers to another address: name that one with --url or SVC_URL',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: use that name in the address of --url or SVC_URL',
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: correct the clock of this machine',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

/** Checks the key first, because a header that cannot be sent would read as a node that does not answer. */
const credentialOf = ({ key, from }: NamedKey): Readonly<Record<string, string>> => {
  if (key === '') return {};
  if (VISIBLE_ASCII.test(key)) return { authorization: `Bearer ${key}` };
  throw new ServiceError('validation', `the key of ${from} is malformed`, {
    hint: 'a key has neither blanks nor line breaks, and only letters, digits and signs of ASCII; copy it once more',
  });
};

const VISIBLE_ASCII = /^[!-~]+$/;

const parseObject = (text: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed !== null && typeof parsed === 'object' ? { ...parsed } : {};
  } catch {
    return {};
  }
};
