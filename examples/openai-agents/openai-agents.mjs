// A conversation of OpenAI Agents that goes on in another program: its session is on a node. Needs SVC_URL, SVC_API_KEY
// and the package @openai/agents-core, or @openai/agents.
import { Agent, Runner, Usage } from '@openai/agents-core';
import { FactClient } from 'fact-memory-node/client';
import { FactSession } from 'fact-memory-node/openai-agents';

// A model that follows a script takes the place of a real one.
const model = {
  async getResponse({ input }) {
    const text = `items that I was given: ${input.length}`;
    const content = [{ type: 'output_text', text }];
    return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
  },
};
const agent = new Agent({ name: 'assistant', model });
const runner = new Runner({ tracingDisabled: true });

for (const message of ['Noor likes soup.', 'What does Noor like?']) {
  // A new object each time, as in a new program: the name of the session is enough.
  const session = new FactSession({ client: new FactClient(), source: 'agent:assistant', sessionId: 'noor' });
  const { finalOutput } = await runner.run(agent, message, { session });
  console.log(finalOutput);
}
