import { ServiceError } from '../../kernel/plugin-api.ts';
import type { CheckReport, StoreCheck, StoreFinding, StoreVerification, VerifiedStore } from './backup-api.ts';

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
    const done: VerifiedStore['checks'][number][] = [];
    let looked = 0;
    for (const check of checks) {
      const { name } = check;
      let found = 0;
      let told: string | undefined;
      const report: CheckReport = {
        tenants,
        advance: (count) => {
          looked += count;
          onProgress(looked, entries * checks.length);
        },
        find: (finding) => {
          found += 1;
          if (findings.length < MAX_FINDINGS) findings.push({ check: name, ...finding });
        },
        note: (text) => {
          told = text;
        },
      };
      await runCheck(check, report);
      done.push({ name, findings: found, ...(told !== undefined && { note: told }) });
    }
    return { checks: done, entries, findings };
  },
});

/** Turns a failure of the store into a finding, so that the other checks still run and say where the damage is. */
const runCheck = async ({ run }: StoreCheck, report: CheckReport): Promise<void> => {
  try {
    await run(report);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    report.find({ tenantId: null, message: `the check ended early: ${error.message}`, hint: error.hint ?? AGAIN });
  }
};

const AGAIN = 'run "verify" again';
