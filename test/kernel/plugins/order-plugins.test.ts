import { expect } from 'chai';
import fc from 'fast-check';
import { orderPlugins } from '../../../kernel/plugins/order-plugins.ts';
import { type AnyPlugin, KERNEL_API } from '../../../kernel/plugins/plugin-definition.ts';
import type { BootProblem } from '../../../kernel/problems/boot-problem.ts';
import { defineRef, optional } from '../../../ports/ports.ts';
import { RUNS } from '../../kit/property-runs.ts';

/**
 * Creates a plugin that provides `<name>.service` and requires the services of others; a question mark makes one
 * optional.
 */
const plugin = (name: string, ...needs: readonly string[]): AnyPlugin => ({
  name,
  version: '1.0.0',
  kernelApi: KERNEL_API,
  provides: [defineRef(`${name}.service`)],
  requires: Object.fromEntries(
    needs.map((need) => {
      const ref = defineRef(`${need.replace('?', '')}.service`);
      return [need, need.endsWith('?') ? optional(ref) : ref];
    }),
  ),
  setup: () => undefined,
});

const order = (...plugins: readonly AnyPlugin[]) => {
  const problems: BootProblem[] = [];
  const providers = new Map(plugins.map((one) => [`${one.name}.service`, one]));
  const names = orderPlugins(plugins, providers, problems).map(({ name }) => name);
  return { names, problems };
};

describe('the order of plugins', () => {
  it('is alphabetical without dependencies', () => {
    expect(order(plugin('c'), plugin('a'), plugin('b')).names).to.deep.equal(['a', 'b', 'c']);
  });

  it('puts a plugin after the providers of its requirements, including optional ones', () => {
    expect(order(plugin('a', 'c'), plugin('b', 'a?'), plugin('c')).names).to.deep.equal(['c', 'a', 'b']);
  });

  it('accepts an optional requirement without a provider', () => {
    expect(order(plugin('a', 'nobody?')).problems).to.deep.equal([]);
  });

  it('reports a cycle with its path, without the plugins that only lead to it', () => {
    const { problems } = order(plugin('a', 'b'), plugin('b', 'c'), plugin('c', 'd?'), plugin('d', 'b'));
    expect(problems.map(({ message }) => message)).to.deep.equal([
      'plugins require each other: b requires c.service of c requires d.service of d requires b.service of b',
    ]);
  });

  it('is the same for the same plugins in any order, and puts every provider first', () => {
    const graphs = fc
      .integer({ min: 1, max: 8 })
      .chain((size) => fc.tuple(...Array.from({ length: size }, (_, place) => fc.subarray([...Array(place).keys()]))));
    fc.assert(
      fc.property(graphs, fc.integer(), (needs, seed) => {
        // The names sort against the dependencies, so that both orders compete.
        const name = (place: number): string => `p${9 - place}`;
        const plugins = needs.map((others, place) => plugin(name(place), ...others.map(name)));
        const shuffled = [...plugins].sort(
          (a, b) => ((a.name.charCodeAt(1) * 31 + seed) % 7) - ((b.name.charCodeAt(1) * 31 + seed) % 7),
        );
        const { names } = order(...plugins);
        expect(order(...shuffled).names).to.deep.equal(names);
        needs.forEach((others, place) => {
          for (const other of others) expect(names.indexOf(name(other))).to.be.below(names.indexOf(name(place)));
        });
      }),
      { numRuns: RUNS },
    );
  });
});
