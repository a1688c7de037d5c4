import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { fill, plural } from '../../texts/texts.ts';
import type { EntryGroup } from './group-entries.ts';

/** The head of like entries, which opens and closes them. */
export const GroupLine = ({ group, onToggle }: { group: EntryGroup; onToggle: () => void }) => {
  const { audit: own } = useTexts();
  const { entries, isOpen } = group;
  const [newest, oldest] = [entries[0], entries.at(-1)];
  if (newest === undefined || oldest === undefined) return null;
  const facts = entries.reduce((sum, { recall }) => sum + (recall?.facts ?? 0), 0);
  const name = `${newest.event_type} ${newest.entity_uri || own.nobody}`;
  return (
    <RecordLine
      head={
        <>
          <span class="tag">{newest.event_type}</span>
          <ShownText text={newest.entity_uri || own.nobody} />
          <strong>{plural(own.times, entries.length)}</strong>
        </>
      }
      about={
        <>
          <span>
            <Instant at={oldest.ts} relative /> – <Instant at={newest.ts} relative />
          </span>
          {newest.source !== '' && <ShownText text={newest.source} />}
          {facts > 0 && <span>{plural(own.recalledFacts, facts)}</span>}
        </>
      }
      actions={
        <Button
          text={isOpen ? own.hide : own.show}
          aria-expanded={isOpen}
          aria-label={fill(isOpen ? own.hideEach : own.showEach, { name })}
          onClick={onToggle}
        />
      }
    />
  );
};
