/** Texts of a language, and questions, mostly in other word forms, each with the index of the text that answers it. */
export interface Sample {
  readonly language: string;
  readonly texts: readonly string[];
  readonly questions: readonly (readonly [question: string, answer: number])[];
}

export const LATIN_SAMPLES: readonly Sample[] = [
  {
    language: 'German',
    texts: [
      'Die Großmutter bewahrt ihre alten Bücher in der Truhe auf dem Dachboden auf.',
      'Wir haben am Samstag mit den Nachbarn die Gärten hinter den Häusern gegossen.',
      'Der Mechaniker hat die Bremsen des Lastwagens geprüft.',
    ],
    questions: [
      ['Wo ist das Buch der GROSSMUTTER?', 0],
      ['Garten vom Haus', 1],
      ['Bremse prüfen', 2],
      ['Grossmutter', 0],
      ['Gaerten', 1],
    ],
  },
  {
    language: 'French',
    texts: [
      "La boulangère a rangé l'échelle derrière les grands chevaux de bois.",
      "Nous avons planté des pommiers près de l'étang avec mon frère.",
      'Le directeur est très heureux des nouvelles machines de son atelier.',
    ],
    questions: [
      ['Où sont les échelles ?', 0],
      ['cheval de bois', 0],
      ['quel pommier avons-nous planté ?', 1],
      ['étangs', 1],
      ['une machine nouvelle', 2],
    ],
  },
  {
    language: 'Spanish',
    texts: [
      'Las llaves del molino están en la caja azul de la cocina.',
      'Mi hermana trabaja en una fábrica de lápices cerca del río.',
      'El pescador vendió todas las flores que tenía en el jardín.',
    ],
    questions: [
      ['¿Dónde está la llave?', 0],
      ['cajas azules', 0],
      ['trabajar con un lapiz', 1],
      ['flor', 2],
      ['jardines de pescadores', 2],
    ],
  },
  {
    language: 'Portuguese',
    texts: [
      'As canções do avô estão guardadas em um caderno vermelho.',
      'O padeiro comprou dois cavalos na feira da cidade.',
      'Ela não come pão com manteiga de manhã.',
    ],
    questions: [
      ['Onde está a canção?', 0],
      ['cadernos vermelhos', 0],
      ['comprar um cavalo', 1],
      ['pães', 2],
    ],
  },
  {
    language: 'Italian',
    texts: [
      "Gli amici della nonna hanno dipinto l'armadio di verde.",
      'Il gatto dorme sempre sotto la finestra della cucina.',
      'Mio zio vende vecchi orologi al mercato del porto.',
    ],
    questions: [
      ["un'amica ha gli armadi", 0],
      ['dove dormono i gatti?', 1],
      ['orologio vecchio', 2],
      ['finestre', 1],
    ],
  },
  {
    language: 'Dutch',
    texts: [
      'De oude bomen staan achter het huis van mijn tante.',
      'Zij heeft drie katten en een hond die niet van regen houdt.',
      'De brieven van de burgemeester liggen in de la.',
    ],
    questions: [
      ['welke boom staat er bij de huizen?', 0],
      ['kat', 1],
      ['brief', 2],
      ['honden', 1],
    ],
  },
  {
    language: 'Swedish',
    texts: [
      'Flickorna plockade blåbär i skogen bakom sjön.',
      'Det är min bror som har målat båten röd.',
      'Hundarna sover inte när åskan går över ön.',
    ],
    questions: [
      ['flicka', 0],
      ['båtar', 1],
      ['skog', 0],
      ['vem har en hund?', 2],
    ],
  },
  {
    language: 'Danish',
    texts: [
      'Bøgerne ligger på bordet ved siden af lampen.',
      'Han har købt et gammelt hus med en have ved åen.',
      'Vi skal ikke glemme nøglerne til kælderen.',
    ],
    questions: [
      ['bog', 0],
      ['husene', 1],
      ['en nøgle', 2],
      ['borde', 0],
    ],
  },
  {
    language: 'Finnish',
    texts: [
      'Mummon kirjat ovat kaapissa, joka on eteisen vieressä.',
      'Me asumme kaupungissa, mutta kesällä olemme saaressa.',
      'Talossa ei ole enää vanhoja huonekaluja.',
    ],
    questions: [
      ['kirja', 0],
      ['missä kaupunki on?', 1],
      ['talot', 2],
    ],
  },
  {
    language: 'Polish',
    texts: [
      'Dziadek trzyma stare zegary w szafie obok okna.',
      'Nie wiem, gdzie są klucze do tego domu nad jeziorem.',
      'Moja siostra kupiła żółty rower na targu.',
    ],
    questions: [
      ['zegar', 0],
      ['dom', 1],
      ['klucz', 1],
      ['żółte rowery', 2],
      ['zolty', 2],
    ],
  },
  {
    language: 'Czech',
    texts: [
      'Babička má ve sklepě deset starých hrnců a jednu lampu.',
      'Náš soused jezdí každý den na kole do lesa.',
      'Ty obrazy, které visí nad krbem, jsou od mého strýce.',
    ],
    questions: [
      ['lampy', 0],
      ['kola', 1],
      ['obraz', 2],
      ['sousedé', 1],
    ],
  },
  {
    language: 'Hungarian',
    texts: [
      'A nagymama könyvei a padláson vannak egy ládában.',
      'Az uram minden este a kertben ül, és nem szól senkihez.',
      'A halász eladta a csónakját, mert már nagyon öreg volt.',
    ],
    questions: [
      ['láda', 0],
      ['hol van a kert?', 1],
      ['halászok', 2],
    ],
  },
  {
    language: 'Romanian',
    texts: [
      'Bunica are cărțile vechi într-un dulap din pod.',
      'Noi nu am găsit cheia de la poarta grădinii.',
      'Pescarul a vândut trei bărci și o plasă.',
    ],
    questions: [
      ['dulapuri', 0],
      ['o cheie', 1],
      ['un pescar', 2],
      ['gradina', 1],
    ],
  },
  {
    language: 'Turkish',
    texts: [
      "Kardeşim Ankara'da küçük bir evde oturuyor ve kediler besliyor.",
      'Bu kitaplar dedemin odasında çok eski bir sandıkta.',
      'IŞIKLAR SÖNDÜ, ama balıkçı gibi beklediler.',
    ],
    questions: [
      ['Ankara', 0],
      ['kedi', 0],
      ['kitap', 1],
      ['ışık', 2],
    ],
  },
];
