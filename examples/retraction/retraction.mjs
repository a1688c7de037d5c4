// Stores a fact, retracts it, and finds both in the history. Needs SVC_URL and SVC_API_KEY.
import { FactClient } from 'fact-memory-node/client';

const client = new FactClient({ source: 'agent:example' });
const entity = 'project:apollo';
const relation = 'memory:status';

const stored = await client.assert({ entity, relation, value: 'delayed' });
console.log('stored:', stored.value.v);

const { source, scope } = stored;
await client.retract({ entity, relation, source, scope });

let live = 0;
for await (const fact of client.query({ entity, relation })) if (fact.confidence > 0) live += 1;
console.log('facts that still hold:', live);

// Nothing is overwritten: the history contains the fact and its retraction.
const events = [];
for await (const event of client.history(entity)) events.push(event);
console.log('events in the history:', events.length);
