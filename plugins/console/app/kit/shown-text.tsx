import { useState } from 'preact/hooks';
import { spellNumber } from '../texts/texts.ts';
import { hasTurningMarks } from './turning-marks.ts';
import { useTexts } from './use-texts.ts';

/** So much is drawn at once. A value may be a mebibyte, and a line of a list needs none of it. */
const SHORT_CHARACTERS = 240;
const LONG_CHARACTERS = 20_000;

/**
 * Text of strangers: isolated, so that its direction does not reach its surroundings, with a warning where hidden marks
 * turn its own, and cut where it is longer than a line wants.
 */
export const ShownText = ({ text, short = true }: { text: string; short?: boolean }) => {
  const limit = short ? SHORT_CHARACTERS : LONG_CHARACTERS;
  const [isWhole, showWhole] = useState(false);
  const isCut = text.length > limit && !isWhole;
  const shown = isCut ? cutAt(text, limit) : text;
  return (
    <>
      <bdi class="shown">{isCut ? `${shown}…` : shown}</bdi>
      {hasTurningMarks(shown) && <Turning />}
      {isCut && !short && (
        <>
          {' '}
          <button type="button" class="link" onClick={() => showWhole(true)}>
            {`+ ${spellNumber(text.length - shown.length)}`}
          </button>
        </>
      )}
    </>
  );
};

const Turning = () => {
  const { turning } = useTexts();
  return (
    <span class="turning" role="img" aria-label={turning} title={turning}>
      ⇄
    </span>
  );
};

/** Not inside a pair of surrogates. */
const cutAt = (text: string, length: number): string => {
  const cut = text.slice(0, length);
  return cut.isWellFormed() === false ? cut.slice(0, -1) : cut;
};
