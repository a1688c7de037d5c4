// The memory tool of Claude, with its files on a node. Needs SVC_URL, SVC_API_KEY and the package @anthropic-ai/sdk.
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { MemoryFiles } from 'fact-memory-node/anthropic';
import { FactClient } from 'fact-memory-node/client';

const client = new FactClient();
const memory = betaMemoryTool(new MemoryFiles({ client, source: 'agent:assistant' }));

// A program gives the tool to `client.beta.messages.toolRunner`. These are calls that a model makes.
const path = '/memories/team/roles.md';
const calls = [
  { command: 'create', path, file_text: 'Alice is CEO.\nNoor keeps the books.' },
  { command: 'str_replace', path, old_str: 'CEO', new_str: 'CTO' },
  { command: 'view', path: '/memories' },
];
for (const call of calls) console.log(await memory.run(call));

// Nothing is overwritten: the first text stays in the history of the file.
const first = await client.query({ entity: `file:${path}`, include_contradicted: true }).take(10);
console.log('facts about the file:', first.filter(({ confidence }) => confidence > 0).length);

// Lets this program run again, because a file is created once.
await memory.run({ command: 'delete', path });
