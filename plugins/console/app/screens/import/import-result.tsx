import { Counts } from '../../kit/counts.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';
import { fill } from '../../texts/texts.ts';
import type { ImportDone, RefusedItem } from './send-import.ts';

/** The sums of an import or of its trial, with the refused items, and the way to the facts. */
export const ImportResult = ({ done }: { done: ImportDone & { readonly items: readonly RefusedItem[] } }) => {
  const { import: own } = useTexts();
  const {
    read,
    would_store: wouldStore,
    stored: hasStored,
    same,
    left_out: leftOut,
    refused,
    sources,
    items,
    samples = [],
  } = done;
  const stored = wouldStore ?? hasStored;
  const title = fill(done.dry_run ? own.tried : own.imported, { format: done.format });
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <p role="status">{fill(done.dry_run ? own.sumTried : own.sum, { read, stored, same, leftOut, refused })}</p>
      <Counts label={own.kinds} counts={{ ...done.kinds, ...done.skipped, ...done.remarks }} />
      {items.length > 0 && (
        <>
          <h3>{own.refused}</h3>
          <ul>
            {items.map(({ at, reason }) => (
              <li key={at + reason}>
                <bdi>{at}</bdi>: <bdi>{reason}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {samples.length > 0 && (
        <>
          <h3>{own.samples}</h3>
          <ScrollBox label={own.samples} class="document">
            <pre dir="auto">{samples.join('\n')}</pre>
          </ScrollBox>
        </>
      )}
      {!done.dry_run && sources.length > 0 && (
        <p>
          <a href={addressOf('facts', { sources: sources.join('\n') })}>{own.seeFacts}</a>{' '}
          <span class="muted">{own.undoHint}</span>
        </p>
      )}
    </section>
  );
};
