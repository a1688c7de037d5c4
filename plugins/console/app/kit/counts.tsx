import { spellNumber } from '../texts/texts.ts';
import { useTexts } from './use-texts.ts';

/** The positive counts, with their names. */
export const Counts = ({ label, counts }: { label: string; counts: Readonly<Record<string, unknown>> }) => {
  const { counts: texts } = useTexts();
  const rows = Object.entries(counts).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
  );
  if (rows.length === 0) return <p class="muted">{texts.nothing}</p>;
  return (
    <table class="counts" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{texts.what}</th>
          <th scope="col" class="number">
            {texts.count}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, count]) => (
          <tr key={name}>
            <td>{name.replaceAll('_', ' ')}</td>
            <td class="number">{spellNumber(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
