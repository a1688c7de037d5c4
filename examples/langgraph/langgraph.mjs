// A graph that remembers across threads, by a LangGraph store on a node. Needs SVC_URL, SVC_API_KEY and the package
// @langchain/langgraph.
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { FactClient } from 'fact-memory-node/client';
import { LangGraphStore } from 'fact-memory-node/langgraph';

const client = new FactClient();
const store = new LangGraphStore({ client, source: 'agent:planner' });
const diets = ['diets', 'noor'];

const State = Annotation.Root({ told: Annotation(), known: Annotation() });
const graph = new StateGraph(State)
  .addNode('remember', async ({ told }, { store: memory }) => {
    if (told) await memory.put(diets, 'lunch', told);
    const [found] = await memory.search(['diets'], { query: 'Which lunch does Noor like?' });
    return { known: found?.value };
  })
  .addEdge(START, 'remember')
  .compile({ store });

await graph.invoke({ told: { lunch: 'soup' } });
const { known } = await graph.invoke({});
console.log('another thread knows:', known);

// Another agent says something else under the same key. Nothing is overwritten, and the item says so.
await client.assert({
  entity: 'langgraph:diets/noor/lunch',
  relation: 'langgraph:item',
  value: { type: 'text', v: '{"lunch":"salad"}' },
  source: 'agent:waiter',
});
const item = await store.get(diets, 'lunch');
for (const { value, source } of item.contradictions) console.log(`${source} says`, value);
