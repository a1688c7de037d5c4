import { defineCommand } from '../../kernel/command-api.ts';
import { createCursorCodec, NODE_VERSION, withinTime } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { askOverHttp } from './ask-node.ts';
import { createForgetTokens } from './forget-tokens.ts';
import { isProfile, PROFILES, SERVER_NAME } from './listed-tools.ts';
import { problemText, refusalOf } from './refused-question.ts';

const SECRET_BYTES = 32;
/**
 * The time in milliseconds that the first message waits for the node, so that the list of tools matches the key's
 * rights.
 */
const PATIENCE_MS = 250;

export const mcpCommand = defineCommand({
  name: 'mcp',
  topic: 'agents',
  summary: 'serve the Model Context Protocol over standard input and output, for editors and agents',
  description:
    'Offers the tools, resources and prompts of a running node to the program that starts this command. It speaks the ' +
    'protocol on standard output and nothing else, and ends when its input ends. Clients that speak HTTP do not need ' +
    'it: they call /v1/mcp of the node.',
  notes:
    'The key decides which tools there are: without the permission write there are none that write. While the node is ' +
    'down, calls say so; the first call after its start finds it.',
  examples: ['fact-memory-node mcp', 'fact-memory-node mcp --profile extended --read-only'],
  needs: 'server',
  options: {
    profile: { type: 'text', value: 'word', summary: `tools to offer: ${PROFILES.join(' or ')}`, default: 'core' },
    readOnly: { type: 'flag', summary: 'leave out the tools that write' },
  },
  async run({ options, server, clock, random, stdin, stdout, stderr }) {
    const { profile, readOnly } = options;
    if (!isProfile(profile)) throw new ServiceError('validation', `--profile must be ${PROFILES.join(' or ')}`);
    const node = askOverHttp(server, clock);
    // A confirmation is valid only in the process that made the preview.
    const tokens = createForgetTokens(createCursorCodec(random.bytes(SECRET_BYTES)), clock);
    const { serveOverStdio } = await import('./stdio-face.ts');
    const report = (error: unknown): void => {
      stderr.write(`a tool failed: ${error instanceof Error ? error.message : String(error)}\n`);
    };
    const parts = { choice: { profile, readOnly }, node, tokens, report, name: SERVER_NAME, version: NODE_VERSION };
    const told = node.ready().catch((error: unknown) => {
      const { problem } = refusalOf(error, { report });
      stderr.write(`${problemText(problem)}\nEach call asks the node anew.\n`);
    });
    const late = (): Error => new ServiceError('unavailable', 'the node has not answered yet');
    // Only the list of tools depends on the answer, so the client never waits long for it.
    const answered = withinTime(clock, PATIENCE_MS, () => told, late).catch(() => {});
    await serveOverStdio(parts, { stdin, stdout, answered });
    await answered;
  },
});
