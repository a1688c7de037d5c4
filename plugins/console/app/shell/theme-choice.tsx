import { useId, useState } from 'preact/hooks';
import { chooseTheme, readTheme, THEMES, type Theme } from '../kit/theme.ts';
import { useTexts } from '../kit/use-texts.ts';

/** Light or dark colours, or those of the browser. The browser keeps the choice. */
export const ThemeChoice = () => {
  const { theme: own } = useTexts();
  const id = useId();
  const [theme, setTheme] = useState(readTheme);
  const choose = (chosen: Theme): void => {
    setTheme(chosen);
    chooseTheme(chosen);
  };
  return (
    <p class="theme-choice">
      <label for={id}>{own.title}</label>
      <select id={id} value={theme} onChange={({ currentTarget }) => choose(currentTarget.value as Theme)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {own.names[each]}
          </option>
        ))}
      </select>
    </p>
  );
};
