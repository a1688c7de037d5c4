import { expect } from 'chai';
import { describeConsole } from './describe-console.ts';
import { button, offered } from './reader-steps.ts';

interface Role {
  readonly permissions: readonly string[];
  /** The screens that this role gets in addition to those of every reader. */
  readonly screens: readonly string[];
  /** The restricted buttons that this role may press on any screen. */
  readonly mayPress: readonly string[];
}

const FOR_READERS = [
  'overview',
  'facts',
  'entities',
  'timeline',
  'contradictions',
  'recall',
  'terms',
  'gardens',
  'keys',
  'connect',
  'capabilities',
];
const ALSO_FOR_READERS = ['subscriptions', 'instructions', 'audit', 'jobs'];
const FOR_ADMINS = ['relations', 'tenants', 'erasure', 'backups', 'settings', 'plugins'];
/** All buttons that require a permission. */
const GUARDED = [
  'Assert a fact',
  'Make a garden',
  'Register a key',
  'Register a public key',
  'Issue a token',
  'Verify the chain',
  'Run now',
  'Make a tenant',
  'Add a rule',
];

const ROLES: Readonly<Record<string, Role>> = {
  reader: { permissions: ['read'], screens: [], mayPress: [] },
  writer: {
    permissions: ['read', 'write'],
    screens: ['import'],
    mayPress: ['Assert a fact', 'Make a garden', 'Register a public key', 'Issue a token'],
  },
  auditor: { permissions: ['read', 'audit.read'], screens: [], mayPress: ['Verify the chain'] },
  admin: { permissions: ['read', 'write', 'admin'], screens: [...FOR_ADMINS, 'import'], mayPress: GUARDED },
};

describeConsole(
  'what the console offers',
  { env: { SVC_TOMBSTONES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' } },
  (running) => {
    for (const [name, { permissions, screens, mayPress }] of Object.entries(ROLES)) {
      it(`to a key of a role such as ${name} is only the screens and actions that the key may use`, async () => {
        const { page, open } = await running().visit(await running().keyFor(`agent:${name}`, permissions));
        const paths = await page.evaluate<string[]>(
          '[...document.querySelectorAll("nav a")].map(({ pathname }) => pathname.slice("/console/".length))',
        );
        expect(paths).to.have.members([...FOR_READERS, ...ALSO_FOR_READERS, ...screens]);
        const found = new Set<string>();
        for (const path of paths) {
          await open(path);
          for (const text of await offered(page)) found.add(text);
          expect(await page.locator('main .problem').count(), `${path} has no problem`).to.equal(0);
        }
        expect(GUARDED.filter((text) => found.has(text))).to.have.members(mayPress);
        for (const path of FOR_ADMINS.filter((each) => !screens.includes(each))) {
          await open(path);
          await page.getByRole('heading', { name: 'No such screen' }).waitFor();
        }
      });
    }

    it('to a key that may only write is an import without a list that it may not read', async () => {
      const { page, open } = await running().visit(await running().keyFor('agent:mute', ['write']));
      await open('import');
      await button(page, 'Try it').waitFor();
      expect(await page.locator('main .problem').count()).to.equal(0);
    });

    it('on an empty screen is the action that the key can take', async () => {
      const hints: Readonly<Record<string, readonly string[]>> = {
        overview: ['Once somebody asserts facts', 'Assert a first fact on the screen Facts'],
        facts: ['Once somebody asserts facts', 'Assert a first fact here'],
        capabilities: ['It takes a key that may write to issue one.', 'Issue a token for what they should see.'],
        keys: ['It takes a key that may write to register one', 'Register the public half of its key here'],
      };
      const reader = await running().enter(await running().keyFor('agent:looker', ['read']));
      const writer = await running().enter(await running().keyFor('agent:maker', ['read', 'write']));
      for (const [screen, [forReader = '', forWriter = '']] of Object.entries(hints)) {
        await reader.open(screen);
        await reader.page.getByText(forReader).waitFor();
        expect(await reader.page.getByText(forWriter).count(), screen).to.equal(0);
        await writer.open(screen);
        await writer.page.getByText(forWriter).waitFor();
      }
    });

    it('to a moderator of a garden is its pending facts, and no action that changes members', async () => {
      const { ask } = running().served;
      await ask('POST', '/v1/gardens', { name: 'Inbox', slug: 'inbox', scope: 'team', quarantine: true });
      const { body: garden } = await ask('GET', '/v1/gardens/inbox');
      const moderator = { entity_uri: 'agent:moderator', role: 'quarantine:moderator' };
      expect((await ask('POST', '/v1/gardens/inbox/members', moderator)).status).to.be.below(300);
      for (const entity of ['user:good', 'user:bad']) {
        const fact = { entity, relation: 'memory:says', value: { type: 'string', v: 'hello' }, confidence: 0.5 };
        const place = { scope: 'team', garden_id: garden.garden_id, source: 'agent:stranger' };
        expect((await ask('POST', '/v1/facts', { ...fact, ...place })).status).to.equal(201);
      }
      const { page, open } = await running().enter(await running().keyFor('agent:moderator', ['read', 'write']));
      await open('gardens?garden=inbox');
      const buttons = await offered(page);
      expect(buttons.filter((text) => text === 'Admit' || text === 'Reject')).to.have.lengthOf(4);
      expect(buttons).to.not.include('Add member').and.not.include('Delete garden').and.not.include('Change role');
    });
  },
);
