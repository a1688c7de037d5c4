import { compareHlc, type Hlc } from '../../kernel/plugin-api.ts';

/** What deciding between rivals needs of a fact. */
export interface Contender {
  readonly id: string;
  readonly valueKey: string;
  readonly confidence: number;
  readonly hlc: Hlc;
}

/** Higher confidence first, then the higher stamp (specification, contradiction rule 3). Zero only for an exact tie. */
export function compareStrength(a: Contender, b: Contender): number {
  return b.confidence - a.confidence || compareHlc(b.hlc, a.hlc);
}

/** The live facts of one triple, judged. The result depends on the set alone, never on the order of arrival. */
export interface Judgement {
  /** The facts have at least two different values. */
  readonly contradicted: boolean;
  /** Facts whose value is that of no winner. */
  readonly losers: readonly string[];
}

/** `facts` are all live facts of one triple that one caller may see. */
export function judgeTriple(facts: readonly Contender[]): Judgement {
  const values = new Set(facts.map((fact) => fact.valueKey));
  if (values.size < 2) return { contradicted: false, losers: [] };
  const strongest = facts.reduce((best, fact) => (compareStrength(best, fact) <= 0 ? best : fact));
  const winning = new Set(facts.filter((fact) => compareStrength(fact, strongest) === 0).map((fact) => fact.valueKey));
  return { contradicted: true, losers: facts.filter((fact) => !winning.has(fact.valueKey)).map((fact) => fact.id) };
}

/** The strongest fact whose value differs; undefined when there is none. */
export function strongestRival<T extends Contender>(fact: Contender, others: readonly T[]): T | undefined {
  return others.filter((other) => other.valueKey !== fact.valueKey).sort(compareStrength)[0];
}
