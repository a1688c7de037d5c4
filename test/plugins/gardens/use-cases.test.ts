import { expect } from 'chai';
import { type GardenDraft, Gardens, Quarantine } from '../../../plugins/gardens/gardens-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { assertion, CAST, type GardenNode, startGardenNode } from './garden-kit.ts';

const as = (entityUri: string, ...permissions: ('read' | 'write' | 'admin')[]) =>
  createPrincipal({ entityUri, ...(permissions.length > 0 && { permissions: new Set(permissions) }) });

const founder = as(CAST.founder);
const stranger = as(CAST.stranger);
const draft = (changes: Partial<GardenDraft> = {}): GardenDraft => ({
  slug: 'roses',
  name: 'Roses',
  scope: 'team',
  ...changes,
});

const codeOf = async (refused: Promise<unknown>): Promise<unknown> => (await rejection(refused))['code'];

forEachStore('gardens without HTTP', () => {
  let garden: GardenNode;
  let gardens: Gardens;
  beforeEach(async () => {
    garden = await startGardenNode();
    gardens = garden.node.kernel.get(Gardens);
  });
  afterEach(() => garden.stop());

  it('are created, found, joined and left by the same rules as over HTTP', async () => {
    const { garden: made, members } = await gardens.create(founder, draft({ slug: ' Roses ', name: ' The roses ' }));
    expect(made).to.deep.include({ slug: 'roses', name: 'The roses', description: null, quarantine: false });
    expect(members.map(({ entityUri, role }) => [entityUri, role])).to.deep.equal([[CAST.founder, 'admin']]);
    expect((await gardens.list(founder)).map(({ slug }) => slug)).to.deep.equal(['herbs', 'roses']);
    await gardens.addMember(founder, made.id, { entityUri: ` ${CAST.stranger} `, role: 'reader' });
    expect(await gardens.changeMember(founder, 'roses', CAST.stranger, 'admin')).to.include({ role: 'admin' });
    await gardens.removeMember(founder, 'roses', CAST.founder);
    expect((await gardens.members(stranger, 'roses')).map(({ entityUri }) => entityUri)).to.deep.equal([CAST.stranger]);
    await gardens.delete(stranger, 'roses');
    expect(await codeOf(gardens.get(stranger, 'roses'))).to.equal('lookup');
  });

  it('are refused to callers without the permission, the scope or the role', async () => {
    const reads = as(CAST.founder, 'read');
    expect(await codeOf(gardens.create(reads, draft()))).to.equal('authorization');
    expect(await codeOf(gardens.delete(reads, 'herbs'))).to.equal('authorization');
    expect(await codeOf(gardens.list(as(CAST.founder, 'write')))).to.equal('authorization');
    expect(await codeOf(gardens.get(as(CAST.founder, 'write'), 'herbs'))).to.equal('authorization');
    const ofPublic = createPrincipal({ allowedScopes: new Set(['public']) });
    expect(await codeOf(gardens.create(ofPublic, draft()))).to.equal('authorization');
    expect(await codeOf(gardens.members(stranger, 'herbs'))).to.equal('lookup');
    const member = { entityUri: 'agent:x', role: 'reader' } as const;
    expect(await codeOf(gardens.addMember(as(CAST.reader), 'herbs', member))).to.equal('authorization');
    expect(await codeOf(gardens.removeMember(founder, 'herbs', CAST.founder))).to.equal('last_admin');
  });

  it('are refused if a text is invalid', async () => {
    const wrong: Partial<GardenDraft>[] = [
      { slug: '-roses' },
      { name: ' ' },
      { name: 'x'.repeat(1025) },
      { name: 'a\u0000b' },
      { description: 'a\ud800' },
      { scope: 'world' as 'team' },
    ];
    for (const changes of wrong) {
      expect(await codeOf(gardens.create(founder, draft(changes))), JSON.stringify(changes)).to.equal('validation');
    }
    const member = { entityUri: 'agent:x', role: 'owner' as 'admin' };
    expect(await codeOf(gardens.addMember(founder, 'herbs', member))).to.equal('validation');
    expect(await codeOf(gardens.removeMember(founder, 'herbs', 'a\u0000'))).to.equal('invalid_entity_uri');
    expect(await codeOf(gardens.get(founder, 'he\u0000rbs'))).to.equal('lookup');
  });

  it('contain facts that a moderator promotes or rejects once', async () => {
    const quarantine = garden.node.kernel.get(Quarantine);
    await gardens.create(founder, draft({ slug: 'held', scope: 'company', quarantine: true }));
    const [first, second] = await Promise.all(
      ['user:a', 'user:b'].map((entity) => garden.say('founder', assertion({ entity, garden_id: 'held' }))),
    );
    const search = { limit: 1, offset: 1 };
    const page = await quarantine.list(founder, search);
    expect([page.total, page.truncated, page.held.map(({ garden: { slug } }) => slug)]).to.deep.equal([
      2,
      false,
      ['held'],
    ]);
    expect((await quarantine.list(stranger, search)).total).to.equal(0);

    const factId = first?.id ?? '';
    expect(await codeOf(quarantine.promote(as(CAST.founder, 'read'), { factId }))).to.equal('authorization');
    expect(await codeOf(quarantine.promote(stranger, { factId }))).to.equal('lookup');
    expect(await codeOf(quarantine.promote(founder, { factId: 'no\u0000body' }))).to.equal('lookup');
    const decision = await quarantine.promote(founder, { factId, target: 'herbs', reason: 'seen' });
    expect(decision).to.deep.include({ factId, actedBy: CAST.founder });
    expect(decision.targetGarden?.slug).to.equal('herbs');
    expect(await codeOf(quarantine.reject(founder, { factId }))).to.equal('fact_not_quarantine_pending');
    expect((await quarantine.reject(founder, { factId: second?.id ?? '', garden: 'held' })).targetGarden).to.equal(
      null,
    );
    expect(await codeOf(quarantine.list(founder, { limit: 0, offset: 0 }))).to.equal('validation');
    expect(await codeOf(quarantine.list(founder, { limit: 1, offset: -1 }))).to.equal('validation');
  });
});
