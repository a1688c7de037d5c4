import { expect } from 'chai';
import fc from 'fast-check';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import type { CapabilityTarget } from '../../../plugins/capability-tokens/capability-tokens-api.ts';
import { coversTarget, scopesOfObject } from '../../../plugins/capability-tokens/covers-target.ts';
import { RUNS } from '../../kit/property-runs.ts';

const names = createServiceNames('svc');
const entity = (uri: string): CapabilityTarget => ({ kind: 'entity', uri });
const GARDEN: CapabilityTarget = {
  kind: 'garden',
  id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
  uri: 'svc://alpha.example/garden/rose',
  slug: 'rose',
};
const COMPANY: CapabilityTarget = { kind: 'scope', scope: 'company' };

describe('the object of a capability token, such as an entity or a path', () => {
  const CASES: readonly [object: string, target: CapabilityTarget, covered: boolean][] = [
    ['a/b', entity('a/b'), true],
    ['a/b', entity('a/b/c'), true],
    ['a/b', entity('a/bc'), false],
    ['a/b', entity('a'), false],
    ['a/b', entity('x/a/b'), false],
    ['a', entity('a/b/c/d'), true],
    ['a/', entity('a/b'), false],
    ['a/b', entity('a//b'), false],
    ['a/..', entity('a/../b'), true],
    ['a/b', entity('a/x/../b'), false],
    ['a/b', entity('a/b?c'), false],
    ['a/b', entity('a/b#c'), false],
    ['a/b', entity('a%2Fb'), false],
    ['a/b', entity('a/b /c'), false],
    ['user:alice', entity('user:alice'), true],
    ['user:', entity('user:alice'), false],
    ['user:al', entity('user:alice'), false],
    ['svc://alpha.example/project/atlas', entity('svc://ALPHA.example/Project/Atlas'), true],
    ['svc://alpha.example/project', entity('svc://alpha.example/project/atlas'), true],
    ['svc://alpha.example', entity('svc://alpha.example/project/atlas'), true],
    ['svc://alpha.example', entity('svc://alpha.example.evil/project/atlas'), false],
    ['svc://alpha', entity('svc://alpha.example/project/atlas'), false],
    ['svc://', entity('svc://alpha.example/project/atlas'), false],
    ['svc:/', entity('svc://alpha.example/project/atlas'), false],
    ['svc:', entity('svc://alpha.example/project/atlas'), false],
    ['*', entity('a'), false],
    ['svc://facts', entity('anything at all'), true],
    ['svc://facts/', entity('a'), false],
    ['svc://facts/scope:company', entity('a'), false],
    ['svc://facts', COMPANY, true],
    ['SVC://Facts', COMPANY, true],
    ['svc://facts/scope:company', COMPANY, true],
    ['scope:company', COMPANY, true],
    ['company', COMPANY, true],
    ['svc://facts/scope:comp', COMPANY, false],
    ['svc://facts/scope:company/x', COMPANY, false],
    ['svc://facts/scope', COMPANY, false],
    ['public', COMPANY, false],
    ['svc://facts', GARDEN, true],
    ['svc://garden/rose', GARDEN, true],
    ['svc://alpha.example/garden/rose', GARDEN, true],
    ['5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', GARDEN, true],
    ['svc://garden', GARDEN, false],
    ['svc://garden/ros', GARDEN, false],
    ['svc://garden/rose/x', GARDEN, false],
    ['svc://alpha.example', GARDEN, false],
    ['svc://alpha.example/garden', GARDEN, false],
    ['svc://beta.example/garden/rose', GARDEN, false],
    ['svc://facts/scope:company', GARDEN, false],
    ['rose', GARDEN, false],
  ];
  for (const [object, target, covered] of CASES) {
    const shown = target.kind === 'entity' ? target.uri : target.kind;
    it(`${object} ${covered ? 'covers' : 'does not cover'} ${shown}`, () => {
      expect(coversTarget(object, target, names)).to.equal(covered);
    });
  }

  it('uses the configured name of the service', () => {
    const other = createServiceNames('mem');
    expect(coversTarget('mem://facts', COMPANY, other)).to.equal(true);
    expect(coversTarget('svc://facts', COMPANY, other)).to.equal(false);
    expect(scopesOfObject('mem://facts', other)).to.have.lengthOf(4);
  });

  it('covers the same targets when names exceed the length of a match key', () => {
    const long = `svc://alpha.example/project/${'x'.repeat(1_500)}`;
    expect(coversTarget(long, entity(`${long}/y`), names)).to.equal(true);
    expect(coversTarget(long, entity(`${long}y`), names)).to.equal(false);
  });

  const segment = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', '.', ':', 'A', '%') });
  const path = fc.array(segment, { minLength: 1, maxLength: 5 });
  it('covers entities below its path, compared segment by segment', () => {
    fc.assert(
      fc.property(path, path, (above, below) => {
        const covered = coversTarget(above.join('/'), entity(below.join('/')), names);
        const key = (parts: readonly string[]) => parts.join('/').toLowerCase();
        const isPrefix = above.length <= below.length && key(below.slice(0, above.length)) === key(above);
        const isOpenEnd = above.length < below.length && /[:/]$/.test(above.join('/'));
        expect(covered).to.equal(isPrefix && !isOpenEnd);
      }),
      { numRuns: RUNS },
    );
  });
});
