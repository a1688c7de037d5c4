// A model of the AI SDK that remembers. Needs SVC_URL, SVC_API_KEY, the package ai, and Node.js 22 or later.
import { generateText, isStepCount, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { memoryMiddleware, memoryTools } from 'fact-memory-node/ai-sdk';
import { FactClient } from 'fact-memory-node/client';

const options = { client: new FactClient(), source: 'agent:assistant' };

// A model that follows a script takes the place of a real one: it calls a tool, and answers with what it was given.
const script = [
  { remember: { entity: 'user:noor', relation: 'memory:lunch', value: 'lentil soup' } },
  'noted',
  ({ prompt }) => prompt[0].content.split('\n').at(-1),
];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const scripted = new MockLanguageModelV4({
  doGenerate: async (call) => {
    const step = script.shift();
    const [[toolName, input] = []] = typeof step === 'object' ? Object.entries(step) : [];
    const content = toolName
      ? { type: 'tool-call', toolCallId: '1', toolName, input: JSON.stringify(input) }
      : { type: 'text', text: typeof step === 'function' ? step(call) : step };
    const finishReason = { unified: toolName ? 'tool-calls' : 'stop', raw: undefined };
    return { content: [content], finishReason, usage, warnings: [] };
  },
});

const model = wrapLanguageModel({ model: scripted, middleware: memoryMiddleware(options) });
const tools = memoryTools(options);

const first = await generateText({ model, tools, stopWhen: isStepCount(2), prompt: 'Noor likes lentil soup.' });
console.log(first.text);

const second = await generateText({ model, prompt: 'What does Noor eat for lunch?' });
const { entity, value, source, contradicted } = JSON.parse(second.text);
console.log({ entity, value, source, contradicted });
