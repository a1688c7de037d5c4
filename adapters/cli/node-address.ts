import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { givenText, isLoopbackHost, openOrdinaryFile, readPart, replaceSecretFile } from '../../kernel/internal-api.ts';
import type { Random } from '../../kernel/plugin-api.ts';
import type { Environment } from './key-file.ts';

const MAX_ADDRESS_BYTES = 200;
const OTHERS_MAY = 0o077;

/** The file in which a node leaves its address for the commands of its folder. */
export type LeftAddress =
  | { readonly file: string; readonly url: string }
  /** `ignored` is the reason why the file is not used, for people. */
  | { readonly file: string; readonly ignored: string };

/**
 * Keeps the address of a serving node in its data folder, in a file that only its owner may read. Returns the address
 * that another node has left there before.
 */
export const leaveAddress = async (dataFolder: string, url: string, random: Random): Promise<string | undefined> => {
  const earlier = urlOf(await leftAddress(dataFolder));
  await replaceSecretFile(addressFile(dataFolder), url, random);
  return earlier === url ? undefined : earlier;
};

/**
 * Removes the address of a node that stops, unless another node has left its own there. A node on the same store that
 * came `earlier` and still serves gets its place back, because it would not write its address again.
 */
export const removeAddress = async (
  dataFolder: string,
  url: string,
  earlier: string | undefined,
  random: Random,
): Promise<void> => {
  if (urlOf(await leftAddress(dataFolder)) !== url) return;
  if (earlier === undefined || !(await listens(earlier))) return rm(addressFile(dataFolder), { force: true });
  await replaceSecretFile(addressFile(dataFolder), earlier, random);
};

/**
 * Returns the address that a node has left in this data folder; undefined without a file. A stranger may have put the
 * file there, for example in an archive that the user has unpacked. So it must belong to the user, must be closed to
 * others, and may only name this machine.
 */
export const leftAddress = async (dataFolder: string): Promise<LeftAddress | undefined> => {
  const path = addressFile(dataFolder);
  const file = relative(process.cwd(), path);
  const found = await readOwnText(path).catch(() => ({ ignored: 'it cannot be read' }));
  if (found === undefined || 'ignored' in found) return found && { file, ...found };
  const { protocol, hostname, origin } = URL.canParse(found.text) ? new URL(found.text) : NO_URL;
  const isOwnMachine = protocol === 'http:' && isLoopbackHost(hostname) && found.text === origin;
  return isOwnMachine ? { file, url: origin } : { file, ignored: 'it holds no http address of this machine' };
};

/** Returns the data folder by the environment, without the configuration file. */
export const dataFolderOf = (env: Environment): string =>
  givenText(env, 'SVC_DATABASE_URL') === undefined
    ? dirname(resolve(givenText(env, 'SVC_DB_PATH') ?? 'data/svc.db'))
    : resolve(givenText(env, 'SVC_DATA_FOLDER') ?? 'data');

const NO_URL = { protocol: '', hostname: '', origin: '' };

const LISTENS_WITHIN_MS = 500;

const urlOf = (left: LeftAddress | undefined): string | undefined =>
  left !== undefined && 'url' in left ? left.url : undefined;

const listens = (url: string): Promise<boolean> =>
  new Promise((settle) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) });
    const end = (open: boolean) => () => {
      socket.destroy();
      settle(open);
    };
    socket.setTimeout(LISTENS_WITHIN_MS, end(false));
    socket.once('connect', end(true)).once('error', end(false));
  });

const addressFile = (dataFolder: string): string => join(dataFolder, 'address');

type OwnText = { readonly text: string } | { readonly ignored: string };

const readOwnText = async (path: string): Promise<OwnText | undefined> => {
  const file = await openOrdinaryFile(path);
  if (file === undefined) return undefined;
  try {
    const { uid, mode } = await file.stat();
    // Windows has neither user ids nor these modes.
    if (process.getuid !== undefined && uid !== process.getuid()) return { ignored: 'it belongs to another user' };
    if (process.getuid !== undefined && (mode & OTHERS_MAY) !== 0) return { ignored: 'other users may open it' };
    return { text: (await readPart(file, 0, MAX_ADDRESS_BYTES)).toString('utf8').trim() };
  } finally {
    await file.close();
  }
};
