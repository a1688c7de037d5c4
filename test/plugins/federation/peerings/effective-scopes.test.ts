import { expect } from 'chai';
import fc from 'fast-check';
import { SCOPES, type Scope } from '../../../../kernel/plugin-api.ts';
import { declarationOf } from '../../../../plugins/federation/peerings/declaration.ts';
import { DIRECTIONS, inboundScopes, outboundScopes } from '../../../../plugins/federation/peerings/peering.ts';
import { newPeering, revoked, withOurs, withTheirs } from '../../../../plugins/federation/peerings/peering-changes.ts';
import { RUNS } from '../../../kit/property-runs.ts';

const AT = '2026-03-02T09:00:00.000Z';
const document = fc.record({
  allowed_scopes: fc.subarray([...SCOPES]),
  direction: fc.constantFrom(...DIRECTIONS),
  signed_at: fc.constant(AT),
});

const shares = (direction: string): boolean => direction !== 'inbound';
const takes = (direction: string): boolean => direction !== 'outbound';
const named = (scopes: readonly Scope[]): readonly Scope[] => (scopes.length === 0 ? ['public'] : scopes);

describe('the grant that follows from two declarations', () => {
  const start = newPeering({ tenantId: 'default' }, { peerId: 'p', nodeId: 'svc://beta.example', nowMs: 1 });
  const verified = { nodeUrl: 'https://beta.example', keys: [], nowMs: 2 };

  it('covers the scopes and direction that both declarations name, and never local or team facts', () => {
    fc.assert(
      fc.property(document, document, (ours, theirs) => {
        const peering = withTheirs(withOurs(start, { document: ours }, { nowMs: 1 }), { document: theirs }, verified);
        const both = named(ours.allowed_scopes).filter((scope) => named(theirs.allowed_scopes).includes(scope));
        const granted = both.filter((scope) => scope === 'public' || scope === 'company');
        const out = shares(ours.direction) && takes(theirs.direction) ? granted : [];
        const back = shares(theirs.direction) && takes(ours.direction) ? granted : [];
        expect([...outboundScopes(peering)]).to.have.members(out);
        expect([...inboundScopes(peering)]).to.have.members(back);
      }),
      { numRuns: RUNS },
    );
  });

  it('does not depend on the order of the declarations, and is empty unless both are active', () => {
    fc.assert(
      fc.property(document, document, (ours, theirs) => {
        const oursFirst = withOurs(start, { document: ours }, { nowMs: 1 });
        const theirsFirst = withTheirs(start, { document: theirs }, verified);
        const one = withTheirs(oursFirst, { document: theirs }, verified);
        const other = withOurs(theirsFirst, { document: ours }, { nowMs: 2 });
        expect([...outboundScopes(one)]).to.deep.equal([...outboundScopes(other)]);
        for (const early of [oursFirst, theirsFirst, revoked(one, 3)]) {
          expect([...outboundScopes(early), ...inboundScopes(early)]).to.deep.equal([]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('gets a new version exactly when its content changes', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 6 }), (documents) => {
        let peering = withOurs(start, { document: { signed_at: AT } }, { nowMs: 1 });
        for (const theirs of documents) {
          const before = peering;
          peering = withTheirs(before, { document: theirs }, verified);
          const isSame =
            [...outboundScopes(before)].join() === [...outboundScopes(peering)].join() &&
            [...inboundScopes(before)].join() === [...inboundScopes(peering)].join();
          expect(peering.grantVersion - before.grantVersion).to.equal(isSame ? 0 : 1);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is the same for stored and received declarations', () => {
    fc.assert(
      fc.property(document, (received) => {
        const stored = JSON.parse(JSON.stringify(received)) as typeof received;
        expect(declarationOf(stored)).to.deep.equal(declarationOf(received));
      }),
      { numRuns: RUNS },
    );
  });
});
