import { expect } from 'chai';
import fc from 'fast-check';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import { matchKey } from '../../../kernel/plugin-api.ts';
import { namespaceKeyOf, readPattern } from '../../../plugins/namespaces/namespace-pattern.ts';
import { createRuleSet } from '../../../plugins/namespaces/rule-set.ts';
import { RUNS } from '../../kit/property-runs.ts';

const names = createServiceNames('svc');
const OWNERS = new Set(['agent:x']);

const isCovered = (pattern: string, entity: string): boolean => {
  const { key } = readPattern(pattern, 'body.pattern', names);
  const entityKey = namespaceKeyOf({ entity, entityKey: matchKey(entity, names) }, names);
  return createRuleSet(new Map([[key, OWNERS]])).ownersOf(entityKey) === OWNERS;
};

/** Texts that match keys normalise. */
const part = fc
  .array(
    fc.constantFrom('a', 'B', 'Σ', 'İ', 'ß', ' ', '\u00a0', '\u2003', ':', '-', 'svc://', '/', '日', '\u{1F600}'),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''));

describe('a namespace pattern that ends with /*', () => {
  it('covers every entity that continues after the slash, in any spelling', () => {
    fc.assert(
      fc.property(part, part, fc.boolean(), (path, rest, isLong) => {
        const entity = `x${path}/${rest}${isLong ? 'y'.repeat(500) : ''}`;
        return [entity, ` ${entity}\u2003`].every((spelled) => isCovered(`x${path}/*`, spelled));
      }),
      { numRuns: RUNS },
    );
  });

  it('covers entities under the scheme of the service, even with white space in the node name', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('svc://a b/', 'SVC://A B/t/', 'svc://a\u2003b/t y/c/', 'svc://h/'),
        part,
        (path, rest) => isCovered(`${path}*`, `${path}${rest}`),
      ),
      { numRuns: RUNS },
    );
  });

  it('covers neither the path before the slash nor a path that only begins alike', () => {
    for (const entity of ['svc://h/project/x', 'svc://h/project/xy/a', 'svc://h/project/x-', 'svc://h2/project/x/a']) {
      expect(isCovered('svc://h/project/x/*', entity), entity).to.equal(false);
    }
  });
});
