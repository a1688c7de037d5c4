import { expect } from 'chai';
import { PersonTurns } from '../../../kernel/http/person-turns.ts';
import type { FactReader, Facts, Principal } from '../../../kernel/plugin-api.ts';
import { createLint } from '../../../plugins/lint/create-lint.ts';
import type { LintReport } from '../../../plugins/lint/lint-api.ts';
import type { LintParts } from '../../../plugins/lint/lint-job.ts';

const caller: Principal = {
  kind: 'agent',
  entityUri: 'agent:a',
  permissions: new Set(['read']),
  allowedScopes: new Set(['company']),
  tenantId: 'default',
  keyId: null,
  oidcSub: null,
};

/** Facts whose values contain the number of reads so far. A read ends when the test releases it. */
class SlowFacts implements Pick<Facts, 'read'> {
  readonly #gates: (() => void)[] = [];

  async read<T>(_caller: Principal, _purpose: unknown, _work: (reader: FactReader) => Promise<T>): Promise<T> {
    const number = this.#gates.length + 1;
    await new Promise<void>((resolve) => this.#gates.push(resolve));
    return {
      findings: [],
      proposals: [],
      isTruncated: false,
      checkedMs: 0,
      checks: [],
      factCount: number,
    } as LintReport as T;
  }

  get begun(): number {
    return this.#gates.length;
  }

  endAll(): void {
    for (const end of this.#gates) end();
  }
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Lint in the background of one request', () => {
  it('starts a new run for a request that comes during a run, and shares it among waiting requests', async () => {
    const facts = new SlowFacts();
    const lint = createLint({ facts, turns: new PersonTurns() } as unknown as LintParts, undefined);
    const ask = () => lint.check(caller, { scope: 'all' }) as Promise<LintReport>;
    const first = ask();
    await soon();
    // The caller has written since, and the first run has not read that.
    const second = ask();
    await soon();
    expect(facts.begun).to.equal(1);
    const others = [ask(), ask(), ask()];
    await soon();
    expect(facts.begun, 'one run of a caller at once').to.equal(1);
    facts.endAll();
    await soon();
    await soon();
    facts.endAll();
    const counts = (await Promise.all([first, second, ...others])).map(({ factCount }) => factCount);
    expect(counts).to.deep.equal([1, 2, 2, 2, 2]);
  });
});
