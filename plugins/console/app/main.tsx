import { render } from 'preact';
import { applyTheme, readTheme } from './kit/theme.ts';
import { TextsContext } from './kit/use-texts.ts';
import { App } from './shell/app.tsx';
import './styles/console.css';
import { LOCALE, loadTexts } from './texts/texts.ts';

const begin = async (place: HTMLElement): Promise<void> => {
  const texts = await loadTexts();
  document.documentElement.lang = LOCALE;
  render(
    <TextsContext.Provider value={texts}>
      <App />
    </TextsContext.Provider>,
    place,
  );
};

const place = document.getElementById('console');
applyTheme(readTheme());
if (place !== null) void begin(place);
