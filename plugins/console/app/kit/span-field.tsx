import { ChoiceField } from './form-fields.tsx';
import type { FormValues } from './form-values.ts';
import { useTexts } from './use-texts.ts';

/** In seconds. What each is called stands in the texts. */
const SPANS = { now: 0, hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const;
type SpanName = keyof typeof SPANS;

/** How long a former secret stays good. */
export const SpanField = ({ name, label, value }: { name: string; label: string; value: SpanName }) => {
  const { spans } = useTexts();
  const names = Object.keys(SPANS) as SpanName[];
  return (
    <ChoiceField
      name={name}
      label={label}
      value={value}
      options={names.map((each) => ({ value: each, label: spans[each] }))}
    />
  );
};

export const readSpan = (values: FormValues, name: string): number => SPANS[values.text(name) as SpanName];
