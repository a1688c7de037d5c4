import type { Fact } from '../../../../client/client.ts';
import { addressOf } from '../shell/address.ts';
import { Instant } from './instant.tsx';
import { ShownText } from './shown-text.tsx';
import { useTexts } from './use-texts.ts';

/** Shows the value of a fact: text as text, never as markup, and a reference as a link to its entity. */
export const ShownValue = ({ value, short = true }: { value: Fact['value']; short?: boolean }) => {
  const texts = useTexts();
  const { type, v } = value;
  if (v === null) return <span class="muted">{texts.none}</span>;
  if (type === 'boolean') return <span>{v === true ? texts.yes : texts.no}</span>;
  if (type === 'datetime') return <Instant at={String(v)} />;
  if (type === 'ref') {
    return (
      <a href={addressOf('entities', { uri: String(v) })}>
        <ShownText text={String(v)} short={short} />
      </a>
    );
  }
  return <ShownText text={String(v)} short={short} />;
};
