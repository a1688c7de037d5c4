import type { CheckReport, StoreCheck, StoreFinding, StoreVerification } from './backup-api.ts';

/** Limit of listed findings. All findings are counted. */
const MAX_FINDINGS = 1_000;

/** Runs the checks of all plugins, one after another. */
export const createVerification = (parts: {
  checks(): Promise<readonly StoreCheck[]>;
  tenants(): Promise<CheckReport['tenants']>;
}): StoreVerification => ({
  async run(onProgress = () => {}) {
    const [checks, tenants] = await Promise.all([parts.checks(), parts.tenants()]);
    const entries = tenants.reduce((sum, { number }) => sum + number, 0);
    const findings: StoreFinding[] = [];
    const done: { readonly name: string; readonly findings: number }[] = [];
    let looked = 0;
    for (const { name, run } of checks) {
      let found = 0;
      await run({
        tenants,
        advance: (count) => {
          looked += count;
          onProgress(looked, entries * checks.length);
        },
        find: (finding) => {
          found += 1;
          if (findings.length < MAX_FINDINGS) findings.push({ check: name, ...finding });
        },
      });
      done.push({ name, findings: found });
    }
    return { checks: done, entries, findings };
  },
});
