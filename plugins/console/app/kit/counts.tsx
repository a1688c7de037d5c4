import { RecordTable } from './record-table.tsx';
import { useTexts } from './use-texts.ts';

const NUMBERS = new Intl.NumberFormat('en');

/** How many of each; what there is none of is left out. */
export const Counts = ({ label, counts }: { label: string; counts: Readonly<Record<string, unknown>> }) => {
  const { counts: texts } = useTexts();
  const rows = Object.entries(counts).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
  );
  return (
    <div class="counts">
      <RecordTable
        label={label}
        columns={[
          { title: texts.what, show: ([name]) => name.replaceAll('_', ' ') },
          { title: texts.count, isNumber: true, show: ([, count]) => NUMBERS.format(count) },
        ]}
        rows={rows}
        keyOf={([name]) => name}
        empty={<p class="muted">{texts.nothing}</p>}
      />
    </div>
  );
};
