/** Shows words of the interface side by side, such as permissions. */
export const Tags = ({ words }: { words: readonly string[] }) => (
  <span class="words">
    {words.map((word) => (
      <span key={word} class="tag">
        {word}
      </span>
    ))}
  </span>
);
