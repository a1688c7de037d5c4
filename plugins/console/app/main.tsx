import { render } from 'preact';
import { App } from './shell/app.tsx';
import './styles/console.css';

const place = document.getElementById('console');
if (place !== null) render(<App />, place);
