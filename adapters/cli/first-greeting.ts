import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type GreetingPart, replaceSecretFile } from '../../kernel/internal-api.ts';
import type { Random } from '../../kernel/plugin-api.ts';
import type { NodeHandle } from './command-line-deps.ts';

type Greeted = Pick<NodeHandle, 'settings' | 'log'>;

/**
 * Returns the plugins' greetings. Those of a first start come again at the next start, until one has served: the port
 * may be in use when the first key is made already.
 */
export const greetUntilRead = async (
  node: Greeted & Pick<NodeHandle, 'greet'>,
  random: Random,
): Promise<readonly GreetingPart[]> => {
  const file = markOf(node);
  const parts = await node.greet(existsSync(file));
  if (parts.every(({ lines = [] }) => lines.length === 0)) return parts;
  // A folder that takes no further file must not stop a node that could serve.
  await replaceSecretFile(file, MARK, random).catch((error: unknown) => {
    node.log.warn('the next start does not greet as the first one, even if this one fails', { error });
  });
  return parts;
};

/** Notes that the greeting of a first start was printed. */
export const endGreeting = (node: Greeted): Promise<void> =>
  rm(markOf(node), { force: true }).catch((error: unknown) => {
    node.log.warn('the next start greets as the first one once more', { error });
  });

const markOf = ({ settings }: Greeted): string => join(settings.dataFolder, 'greeting-due');

const MARK = 'No start has served yet. The next one that does prints the examples of a first start.';
