// Creates a garden, whose facts only its members see. Needs SVC_URL and the SVC_API_KEY of an administrator, who
// creates a second key.
import { randomBytes } from 'node:crypto';
import { FactClient, NotFoundError } from 'fact-memory-node/client';

const admin = new FactClient({ source: 'agent:example' });
const slug = `reading-room-${randomBytes(4).toString('hex')}`;

/** Returns a client for another agent, with its own key. */
const agent = async (name) => {
  const key = randomBytes(32).toString('base64url');
  await admin.call('POST /v1/auth/keys', { body: { raw_key: key, entity_uri: name, permissions: ['read', 'write'] } });
  return new FactClient({ url: process.env.SVC_URL, key, source: name });
};

const member = await agent('agent:librarian');
const stranger = await agent('agent:passer-by');

const garden = await admin.gardens.create({ slug, name: 'Reading room', scope: 'company' });
await admin.gardens.addMember(slug, 'agent:librarian', 'writer');

await member.assert({
  entity: 'book:dune',
  relation: 'memory:lent_to',
  value: 'user:noor',
  scope: 'company',
  garden_id: garden.garden_id,
});

const seenBy = async (client) => {
  let count = 0;
  try {
    for await (const _ of client.query({ entity: 'book:dune' })) count += 1;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return count;
};
console.log('the librarian sees:', await seenBy(member));
console.log('a passer-by sees:', await seenBy(stranger));
await admin.gardens.remove(slug);
