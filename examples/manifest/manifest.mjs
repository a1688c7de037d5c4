// Stores instructions for an agent, and loads those that match its task. Needs SVC_URL and the SVC_API_KEY of an
// administrator.
import { FactClient } from 'fact-memory-node/client';

const client = new FactClient({ source: 'agent:example' });
const agent_id = 'release-bot';
const version = `1.0.${Date.now()}`;

const units = {
  'write-changelog': ['How a line of the changelog is written', 'One line for each change, in the words of users.'],
  'answer-support': ['How questions of users are answered', 'Ask for the version first. Never promise a date.'],
};

const entries = [];
for (const [name, [description, text]] of Object.entries(units)) {
  const fact_uri = `instruction:example/agent/${agent_id}/${name}/${version}`;
  await client.assert({ entity: fact_uri, relation: 'instruction:text', value: text, scope: 'company' });
  entries.push({ name, description, fact_uri, load_triggers: { keywords: description.split(' ') } });
}
await client.call('PUT /v1/agents/{agent_id}/instruction-manifest', {
  params: { agent_id },
  body: { version, entries },
});

const { chunks } = await client.call('POST /v1/agents/{agent_id}/recall-instruction', {
  params: { agent_id },
  body: { intent: 'write the changelog of this release', max_chunks: 1 },
});
for (const chunk of chunks) console.log(`${chunk.name}: ${chunk.content}`);
