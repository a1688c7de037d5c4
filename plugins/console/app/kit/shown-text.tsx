import { useState } from 'preact/hooks';

/** So much is drawn at once. A value may be a mebibyte, and a line of a list needs none of it. */
const SHORT_CHARACTERS = 240;
const LONG_CHARACTERS = 20_000;

/**
 * Text of strangers: isolated, so that its direction does not reach its surroundings, and cut where it is longer than a
 * line wants.
 */
export const ShownText = ({ text, short = true }: { text: string; short?: boolean }) => {
  const limit = short ? SHORT_CHARACTERS : LONG_CHARACTERS;
  const [isWhole, showWhole] = useState(false);
  if (text.length <= limit || isWhole) return <bdi class="shown">{text}</bdi>;
  const cut = cutAt(text, limit);
  if (short) return <bdi class="shown">{cut}…</bdi>;
  return (
    <>
      <bdi class="shown">{cut}…</bdi>{' '}
      <button type="button" class="link" onClick={() => showWhole(true)}>
        {`+ ${(text.length - cut.length).toLocaleString()}`}
      </button>
    </>
  );
};

/** Not inside a pair of surrogates. */
const cutAt = (text: string, length: number): string => {
  const cut = text.slice(0, length);
  return cut.isWellFormed() === false ? cut.slice(0, -1) : cut;
};
