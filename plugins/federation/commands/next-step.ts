import { shellQuote } from '../../../kernel/command-api.ts';
import { inboundScopes, mayEndOthers, outboundScopes, type Peering } from '../peerings/peering.ts';

/** These texts tell the operators of both nodes the state of a peering, and the exact command to run next. */

/** Returns the text to print after this node has written its declaration, to a file of this name or above the text. */
export const afterDeclaring = (
  peering: Peering,
  { file, code, ownUrl }: { readonly file: string | undefined; readonly code: string; readonly ownUrl: string },
) =>
  peering.status === 'active'
    ? lines(
        stateOf(peering),
        `The other side takes the new declaration with: ${command('peer add', file ?? 'FILE')}`,
        ...codeLines(code),
      )
    : lines(
        stateOf(peering),
        file === undefined
          ? `1. Give the declaration above, as a file, to the operator of ${peering.nodeId}, who runs:`
          : `1. Give ${file} to the operator of ${peering.nodeId}, who runs: ${command('peer add', file)}`,
        ...(file === undefined ? [`   ${command('peer add', 'FILE')}`] : []),
        `2. There they run: ${command('peer declare', ownUrl, '--out', 'theirs.json')} and give you the file.`,
        `3. Here you run: ${command('peer add', 'theirs.json')}`,
        ...codeLines(code),
      );

const codeLines = (code: string): readonly string[] => [
  `Read them this code by voice: ${code}`,
  'With it as --code, their command refuses any other declaration.',
];

/** Returns the text to print after this node has accepted a declaration of the other node. */
export const afterAdding = (peering: Peering, file: string): string => {
  const { nodeId, nodeUrl, theirs, ours, status } = peering;
  if (status === 'active') return lines(stateOf(peering), `Watch it with: ${command('peer status')}`);
  if (theirs === null) {
    return lines(
      `${nodeId} could not be reached at ${nodeUrl}, so its declaration is not verified yet.`,
      'While the node runs it tries again every minute, for 24 hours. Check that the other node runs and that the',
      `address is right; for another address run: ${command('peer add', file, '--url', 'ADDRESS')}`,
    );
  }
  if (ours !== null) return stateOf(peering);
  return lines(
    `The declaration of ${nodeId} is verified. This node has not declared itself to it yet.`,
    `1. Here run: ${command('peer declare', nodeUrl, '--out', 'ours.json')}`,
    `2. Give ours.json to the operator of ${nodeId}, who runs: ${command('peer add', 'ours.json')}`,
  );
};

/** Returns the text to print after this node has ended a peering. */
export const afterRevoking = ({ nodeId }: Peering, ownId: string): string =>
  lines(
    `The peering with ${nodeId} is revoked: no facts are given to it or taken from it any more.`,
    `What it has got stays there. Its operator ends the other side with: ${command('peer revoke', ownId)}`,
    'To begin again, both sides declare themselves anew.',
  );

const stateOf = (peering: Peering): string => {
  const { nodeId, status } = peering;
  if (status !== 'active') return `The peering with ${nodeId} waits for the declaration of the other side.`;
  const flows = [`gives it ${listed(outboundScopes(peering))}`, `takes ${listed(inboundScopes(peering))} from it`];
  const limit = mayEndOthers(peering) ? 'It may end facts of others here.' : 'It may end only its own facts here.';
  return `The peering with ${nodeId} is active: this node ${flows.join(' and ')}. ${limit}`;
};

const listed = (scopes: ReadonlySet<string>): string =>
  scopes.size === 0 ? 'no facts' : `facts of scope ${[...scopes].join(', ')}`;

const command = (name: string, ...words: readonly string[]): string =>
  ['fact-memory-node', name, ...words.map(shellQuote)].join(' ');

const lines = (...all: readonly string[]): string => all.join('\n');
