import { isLedgerErased } from '../../kernel/internal-api.ts';
import { type PluginTables, ServiceError } from '../../kernel/plugin-api.ts';
import type {
  CheckProgress,
  CheckReport,
  LedgerPage,
  LedgerVisitor,
  StoreCheck,
  StoreFinding,
  StoreVerification,
} from './backup-api.ts';
import { type WalkVisitor, walkLedgers } from './walk-ledgers.ts';

/** Limit of listed findings. All findings are counted. */
const MAX_FINDINGS = 1_000;

/** Runs the checks of all plugins during one walk over the ledgers. */
export const createVerification = (parts: {
  readonly tables: PluginTables;
  checks(): Promise<readonly StoreCheck[]>;
}): StoreVerification => ({
  async run(onProgress = () => {}) {
    const runs = (await parts.checks()).map((check) => new CheckRun(check, onProgress));
    const ends = await parts.tables.read((_own, snapshot) => snapshot.ledgerEnds());
    const entries = ends.reduce((sum, { number }) => sum + number, 0);
    for (const run of runs) await run.begin();
    await walkLedgers(parts.tables, {
      ends,
      visitors: runs,
      onProgress: (done) => onProgress({ unit: 'entries', done, total: entries }),
    });
    const left = await parts.tables.read((_own, snapshot) => snapshot.ledgerEnds());
    const kept = new Set(left.map(({ tenantId }) => tenantId));
    for (const { tenantId } of ends.filter((end) => !kept.has(end.tenantId))) {
      if (await isLedgerErased(parts.tables, tenantId)) for (const run of runs) run.forget(tenantId);
    }
    return {
      checks: runs.map(({ name, count, noted }) => ({
        name,
        findings: count,
        ...(noted !== undefined && { note: noted }),
      })),
      entries,
      findings: runs.flatMap(({ found }) => found).slice(0, MAX_FINDINGS),
    };
  },
});

/** One check in one run. A failure of the store ends this check alone, so that the others say where the damage is. */
class CheckRun implements WalkVisitor {
  #found: StoreFinding[] = [];
  /** The number of findings by tenant; by null those that belong to none. */
  readonly #counts = new Map<string | null, number>();
  noted: string | undefined;
  readonly #check: StoreCheck;
  readonly #report: CheckReport;
  #visitor: LedgerVisitor = {};

  constructor(check: StoreCheck, advance: (progress: CheckProgress) => void) {
    this.#check = check;
    this.#report = {
      advance,
      find: (finding) => {
        const { tenantId } = finding;
        this.#counts.set(tenantId, (this.#counts.get(tenantId) ?? 0) + 1);
        if (this.#found.length < MAX_FINDINGS) this.#found.push({ check: check.name, ...finding });
      },
      note: (text) => {
        this.noted = text;
      },
    };
  }

  get name(): string {
    return this.#check.name;
  }

  get found(): readonly StoreFinding[] {
    return this.#found;
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Drops the findings about a tenant whose erasure began meanwhile, because its rows go piece by piece. */
  forget(tenantId: string): void {
    this.#counts.delete(tenantId);
    this.#found = this.#found.filter((finding) => finding.tenantId !== tenantId);
  }

  begin(): Promise<void> {
    return this.#guarded(async () => {
      this.#visitor = await this.#check.begin(this.#report);
    });
  }

  page(page: LedgerPage): Promise<void> {
    return this.#guarded(() => this.#visitor.page?.(page));
  }

  unreadable(error: ServiceError): void {
    if (this.#visitor.page !== undefined) this.#end(error);
  }

  end(tenantId: string): Promise<void> {
    return this.#guarded(() => this.#visitor.end?.(tenantId));
  }

  async #guarded(work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#end(error);
    }
  }

  #end({ message, hint }: ServiceError): void {
    this.#visitor = {};
    this.#report.find({ tenantId: null, message: `the check ended early: ${message}`, hint: hint ?? AGAIN });
  }
}

const AGAIN = 'run "fact-memory-node verify" again';
