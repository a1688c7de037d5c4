import { execFile } from 'node:child_process';
import { type KeySource, ServiceError } from '../../ports/ports.ts';
import { decodeKeys, MOST_KEY_BYTES } from './decode-keys.ts';

export interface CommandKeysSettings {
  readonly command: string;
  readonly timeoutMs: number;
}

/**
 * Keys that a command prints, such as the client of a key service. The words of the command are separated by spaces,
 * and no shell reads them. Nothing of its output appears in an error.
 */
export const createCommandKeys = (settings: CommandKeysSettings): KeySource => ({
  readKeys: async () => decodeKeys(await outputOf(settings), 'the command that prints the encryption key'),
});

const outputOf = ({ command, timeoutMs }: CommandKeysSettings): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const [file = '', ...words] = command.split(' ').filter((word) => word !== '');
    const options = {
      encoding: 'buffer',
      timeout: timeoutMs,
      maxBuffer: MOST_KEY_BYTES,
      killSignal: 'SIGKILL',
      windowsHide: true,
    } as const;
    const child = execFile(file, words, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      // The message and the cause of this error would repeat the output.
      else reject(failed(error as Failure, timeoutMs));
    });
    // A command that asks for a password must fail at once. One that reads nothing closes the pipe first.
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });

interface Failure {
  readonly code?: unknown;
  readonly killed?: boolean;
  readonly signal?: unknown;
}

const failed = ({ code, killed, signal }: Failure, timeoutMs: number): ServiceError => {
  const end =
    code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
      ? 'prints more than keys'
      : killed === true
        ? `did not end within ${timeoutMs} ms`
        : typeof code === 'string'
          ? `cannot be started (${code})`
          : `ended with ${signal ?? `code ${code}`}`;
  return new ServiceError('unavailable', `the command that prints the encryption key ${end}`, {
    hint: 'run it by hand as the user of the node; its words are separated by spaces, so put quotes and pipes into a script',
  });
};
