import { dirname, join, relative, resolve } from 'node:path';
import { isLoopbackHost, openOrdinaryFile, readPart, replaceSecretFile } from '../../kernel/internal-api.ts';
import type { Random } from '../../kernel/plugin-api.ts';
import type { Environment } from './key-file.ts';

const MAX_ADDRESS_BYTES = 200;
const OTHERS_MAY = 0o077;

/** The address that a node has left for the commands of its folder. */
export interface LeftAddress {
  readonly url: string;
  /** The path of the file that holds it. */
  readonly file: string;
}

/** Keeps the address of a serving node in its data folder, in a file that only its owner may read. */
export const leaveAddress = (dataFolder: string, url: string, random: Random): Promise<void> =>
  replaceSecretFile(addressFile(dataFolder), url, random);

/**
 * Returns the address of the node whose data folder the environment names; undefined without a usable one. A stranger
 * may have put the file there, for example in an archive that the user has unpacked. So it must belong to the user,
 * must be closed to others, and may only name this machine.
 */
export const leftAddress = async (env: Environment): Promise<LeftAddress | undefined> => {
  const file = addressFile(dataFolderOf(env));
  const url = await readOwnText(file).catch(() => undefined);
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  const isOwnMachine = protocol === 'http:' && isLoopbackHost(hostname) && url === origin;
  return isOwnMachine ? { url, file: relative(process.cwd(), file) } : undefined;
};

const addressFile = (dataFolder: string): string => join(dataFolder, 'address');

/** Commands read no configuration file, so a folder that only such a file names is not found. */
const dataFolderOf = ({ SVC_DATABASE_URL: database, SVC_DATA_FOLDER: folder, SVC_DB_PATH: store }: Environment) =>
  database ? resolve(folder || 'data') : dirname(resolve(store || 'data/svc.db'));

const readOwnText = async (path: string): Promise<string | undefined> => {
  const file = await openOrdinaryFile(path);
  if (file === undefined) return undefined;
  try {
    const { uid, mode } = await file.stat();
    // Windows knows neither.
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & OTHERS_MAY) !== 0)) return undefined;
    return (await readPart(file, 0, MAX_ADDRESS_BYTES)).toString('utf8').trim();
  } finally {
    await file.close();
  }
};
