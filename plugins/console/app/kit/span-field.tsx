import { ChoiceField } from './form-fields.tsx';
import type { FormValues } from './form-values.ts';
import { useTexts } from './use-texts.ts';

/** Durations in seconds. The interface texts contain their names. */
const SPANS = { now: 0, hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000, quarter: 7_776_000 } as const;
export type SpanName = keyof typeof SPANS;

interface SpanFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly among: readonly SpanName[];
  readonly value: SpanName;
}

/** A choice of a duration. */
export const SpanField = ({ among, ...rest }: SpanFieldProps) => {
  const { spans } = useTexts();
  return <ChoiceField {...rest} options={among.map((each) => ({ value: each, label: spans[each] }))} />;
};

/** Choices for the overlap of a replaced secret. */
export const OVERLAPS: readonly SpanName[] = ['now', 'hour', 'day', 'week', 'month'];
/** Choices for the life of a token. */
export const LIFETIMES: readonly SpanName[] = ['hour', 'day', 'week', 'month', 'quarter'];

export const readSpan = (values: FormValues, name: string): number => SPANS[values.text(name) as SpanName];
