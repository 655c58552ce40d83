/**
 * The page in German. The keys are the English texts; `plurals` has what is counted, by its English singular.
 * Texts that the server says, and that are drawn with `t(...)`, stand in sections of their own at the end.
 */
export const words = {
  // The frame
  "Opening…": "Wird geöffnet …",
  "Skip to the content": "Zum Inhalt springen",
  "Skip to sources and activity": "Zu Quellen und Verlauf springen",
  History: "Verlauf",
  Pages: "Seiten",
  Ask: "Fragen",
  Collections: "Sammlungen",
  Startups: "Start-ups",
  Settings: "Einstellungen",
  "Sign out": "Abmelden",
  "Sources, activity and plan": "Quellen, Ablauf und Plan",
  "Width of the panel": "Breite der Seitenleiste",
  "Colours: as the system": "Farben: wie das System",
  "Colours: light": "Farben: hell",
  "Colours: dark": "Farben: dunkel",
  "Quaestio could not be opened": "Quaestio konnte nicht geöffnet werden",
  "You were not signed out": "Sie wurden nicht abgemeldet",

  // Problems, dialogs
  "Try again": "Erneut versuchen",
  "Put this message away": "Meldung schließen",
  Cancel: "Abbrechen",
  "the server answered with an error": "der Server hat mit einem Fehler geantwortet",
  "the server answered with status {status}": "der Server hat mit Status {status} geantwortet",
  "try again in {seconds} s": "versuchen Sie es in {seconds} s erneut",
  "the answer of the server cannot be read": "die Antwort des Servers ist nicht lesbar",
  "the server does not answer": "der Server antwortet nicht",
  "check that `quaestio serve` runs, then try again; nothing you wrote is lost":
    "prüfen Sie, ob `quaestio serve` läuft, und versuchen Sie es erneut; was Sie geschrieben haben, ist nicht verloren",

  // Signing in
  "Sign in": "Anmelden",
  "This Quaestio serves several people, each with runs and collections of their own. The person who runs it gives you a token.":
    "Dieses Quaestio dient mehreren Personen, jede mit eigenen Läufen und Sammlungen. Wer es betreibt, gibt Ihnen ein Zugangstoken.",
  Token: "Zugangstoken",
  "the token is empty": "das Zugangstoken ist leer",
  "paste the token that you were given": "fügen Sie das Token ein, das Sie bekommen haben",
  "this token is not known here": "dieses Token ist hier nicht bekannt",
  "check that the whole token was pasted": "prüfen Sie, ob das ganze Token eingefügt wurde",

  // States, figures, times
  Queued: "In der Warteschlange",
  Running: "Läuft",
  "Waiting for you": "Wartet auf Sie",
  Completed: "Abgeschlossen",
  "Partly done": "Teilweise erledigt",
  Cancelled: "Abgebrochen",
  "Interrupting…": "Wird unterbrochen …",
  "Stopping…": "Wird angehalten …",
  Interrupted: "Unterbrochen",
  "Completed: not enough evidence": "Abgeschlossen: nicht genug Belege",
  "Completed: not everything was reached": "Abgeschlossen: nicht alles war erreichbar",
  "quoted: the sentence says its source word for word": "zitiert: Der Satz gibt seine Quelle wörtlich wieder",
  "supported: borne out by its source, as a second reader reads it":
    "gestützt: von der Quelle getragen, wie eine zweite Prüfung sie liest",
  "inferred: the author's own conclusion from what is cited":
    "gefolgert: eigener Schluss des Verfassers aus dem Zitierten",
  "unread: the program found nothing wrong, and nobody has read it":
    "ungelesen: Das Programm fand nichts Falsches, und niemand hat es gelesen",
  "verified: the quote stands in the source and agrees":
    "bestätigt: Das Zitat steht in der Quelle und stimmt überein",
  "recomputed: the number was evaluated again from the data":
    "nachgerechnet: Die Zahl wurde aus den Daten erneut berechnet",
  unsupported: "nicht gestützt",
  "your document": "Ihr Dokument",
  "web page": "Webseite",
  paper: "Fachartikel",
  survey: "Umfrage",
  "your own words": "Ihre eigenen Worte",
  "proposed code that was run": "vorgeschlagener Code, der ausgeführt wurde",
  "result of an MCP server": "Ergebnis eines MCP-Servers",
  "price unknown": "Preis unbekannt",
  "under {sum}": "unter {sum}",
  "{thousands}k tokens": "{thousands} Tsd. Token",
  "just now": "gerade eben",
  "{time} ago": "vor {time}",
  "time {turn}": "{turn}. Mal",

  // Steps of runs
  "Look up passages": "Textstellen nachschlagen",
  "Search for papers": "Fachartikel suchen",
  "Search the web": "Im Web suchen",
  "Read a work": "Ein Werk lesen",
  "Open the collection": "Die Sammlung öffnen",
  "Compare meanings": "Bedeutungen vergleichen",
  "Write the answer": "Die Antwort schreiben",
  "Ask the model alone": "Nur das Modell fragen",
  "Frame the problem": "Die Fragestellung fassen",
  "Scout the literature": "Die Literatur sichten",
  "Propose hypotheses": "Hypothesen vorschlagen",
  "Criticise the hypotheses": "Die Hypothesen kritisieren",
  "Compare hypotheses in pairs": "Hypothesen paarweise vergleichen",
  "Compose the disputation": "Die Disputation verfassen",
  "Plan the work": "Die Arbeit planen",
  "Think of questions to you": "Rückfragen an Sie überlegen",
  "Look up the startup": "Das Start-up nachschlagen",
  "Research Scientist 1 proposes": "Forscher 1 schlägt vor",
  "Research Scientist 2 reviews": "Forscher 2 begutachtet",
  "Run the proposed code": "Den vorgeschlagenen Code ausführen",
  "Check the response": "Die Antwort prüfen",
  "Set the references": "Das Literaturverzeichnis setzen",

  // Startups
  "New startup": "Neues Start-up",
  "What you have explored before. A market analysis begins with one of them.":
    "Was Sie schon untersucht haben. Eine Marktanalyse beginnt mit einem davon.",
  "{name} is as it was before its last analysis": "{name} ist wieder so wie vor der letzten Analyse",
  "It could not be undone": "Es ließ sich nicht rückgängig machen",
  "None yet. A finished market analysis offers to save one.":
    "Noch keine. Eine fertige Marktanalyse bietet an, eines zu speichern.",
  "The startups could not be read": "Die Start-ups waren nicht lesbar",
  "Learned {date}: {found}": "Gelernt am {date}: {found}",
  "Undo: what {name} learned last": "Rückgängig: was {name} zuletzt gelernt hat",
  Undo: "Rückgängig",
  "Edit: the startup {name}": "Bearbeiten: das Start-up {name}",
  Edit: "Bearbeiten",
  "Remove: the startup {name}": "Entfernen: das Start-up {name}",
  Remove: "Entfernen",
  "last used {date}": "zuletzt verwendet am {date}",
  "Remove the startup “{name}”?": "Das Start-up „{name}“ entfernen?",
  "Analyses that began with it keep what it said.":
    "Analysen, die damit begannen, behalten, was darin stand.",
  "The startup {name} is removed": "Das Start-up {name} ist entfernt",
  Name: "Name",
  Id: "Kennung",
  "Small letters, digits, - and _. It names the startup on the command line.":
    "Kleinbuchstaben, Ziffern, - und _. So heißt das Start-up auf der Befehlszeile.",
  "What it does": "Was es tut",
  Industry: "Branche",
  "Search terms, one a line": "Suchbegriffe, einer je Zeile",
  Where: "Wo",
  "Edit the startup “{name}”": "Das Start-up „{name}“ bearbeiten",
  "Save as startup context": "Als Start-up speichern",
  Save: "Speichern",
  "it has no name": "es hat keinen Namen",
  "give it one": "geben Sie ihm einen",
  "The startup {name} is saved": "Das Start-up {name} ist gespeichert",

  // Settings
  "Reading…": "Wird gelesen …",
  "This browser": "Dieser Browser",
  "Language of the page": "Sprache der Seite",
  "as the browser": "wie der Browser",
  Colours: "Farben",
  "as the system": "wie das System",
  light: "hell",
  dark: "dunkel",
  "A report is written in the language of its question, or the one that its order names.":
    "Ein Bericht wird in der Sprache der Frage verfasst, oder in der, die der Auftrag nennt.",
  "Signed in as {user}": "Angemeldet als {user}",
  "Sign out here": "Hier abmelden",
  Server: "Server",
  "The person who runs the server sets up its models, keys and limits.":
    "Wer den Server betreibt, richtet Modelle, Schlüssel und Grenzen ein.",
  "The settings of the server could not be read": "Die Einstellungen des Servers waren nicht lesbar",
  "Settings of the server": "Einstellungen des Servers",
  Model: "Modell",
  "It writes and reads answers. Without one everything runs offline, and sentences are quoted as they stand.":
    "Es schreibt und prüft Antworten. Ohne Modell läuft alles ohne Netz, und Sätze werden zitiert, wie sie dastehen.",
  "provider/name, for example openai/gpt-4.1-mini or ollama/qwen3:8b":
    "Anbieter/Name, zum Beispiel openai/gpt-4.1-mini oder ollama/qwen3:8b",
  "Model for small tasks": "Modell für kleine Aufgaben",
  "Empty: the same one.": "Leer: dasselbe.",
  Address: "Adresse",
  "Only for a server of your own, for example http://localhost:8080/v1. Empty: the provider’s.":
    "Nur für einen eigenen Server, zum Beispiel http://localhost:8080/v1. Leer: die des Anbieters.",
  "Key of the model’s provider": "Schlüssel für den Anbieter des Modells",
  Embedder: "Einbettungsmodell",
  "It compares documents with questions by meaning. Without one they are compared by words. A collection keeps the embedder that it was made with.":
    "Es vergleicht Dokumente und Fragen nach ihrer Bedeutung. Ohne eines werden sie nach Wörtern verglichen. Eine Sammlung behält das, mit dem sie angelegt wurde.",
  "for example openai/text-embedding-3-small, or a model on the server’s disk":
    "zum Beispiel openai/text-embedding-3-small, oder ein Modell auf der Platte des Servers",
  "Only for a server of your own.": "Nur für einen eigenen Server.",
  "Key of the embedder’s provider": "Schlüssel für den Anbieter des Einbettungsmodells",
  "Web and papers": "Web und Fachartikel",
  "Papers are searched without a key. The web needs a search engine.":
    "Fachartikel werden ohne Schlüssel gesucht. Für das Web braucht es eine Suchmaschine.",
  "Search engine": "Suchmaschine",
  none: "keine",
  "For SearXNG: the address of your instance.": "Für SearXNG: die Adresse Ihrer Instanz.",
  Contact: "Kontakt",
  "A mail address that scholarly services are told, as they ask for. They answer faster with one.":
    "Eine Mailadresse, die wissenschaftlichen Diensten genannt wird, wie sie es wünschen. Mit ihr antworten sie schneller.",
  "Key of the search engine": "Schlüssel für die Suchmaschine",
  "Limits of a run": "Grenzen eines Laufs",
  "What a run may use where its order says nothing else. 0 means no limit.":
    "Was ein Lauf verbrauchen darf, wenn der Auftrag nichts anderes sagt. 0 heißt: keine Grenze.",
  "Cost, US dollars": "Kosten, US-Dollar",
  Tokens: "Token",
  Steps: "Schritte",
  Seconds: "Sekunden",
  "What is saved holds for runs that begin from now on; those under way go on as they began. A worker that runs as a process of its own reads it when it starts.":
    "Gespeichertes gilt für Läufe, die von nun an beginnen; laufende gehen weiter, wie sie begonnen haben. Ein Arbeitsprozess, der für sich läuft, liest es bei seinem Start.",
  "Check the system": "System prüfen",
  "{changes} not saved": "{changes} nicht gespeichert",
  Saved: "Gespeichert",
  "The settings are saved": "Die Einstellungen sind gespeichert",
  "The settings were not saved": "Die Einstellungen wurden nicht gespeichert",
  "Set by {place}; it is changed there.": "Gesetzt durch {place}; dort wird es geändert.",
  "The environment holds the key for this service, which is sent to no address that is set here.":
    "Die Umgebung hält den Schlüssel für diesen Dienst; er geht an keine Adresse, die hier gesetzt wird.",
  "By default {value}.": "Voreingestellt: {value}.",
  "the command line": "die Befehlszeile",
  "the environment ({name})": "die Umgebung ({name})",
  "the configuration ({name})": "die Konfiguration ({name})",
  "A key is set by the environment ({name}); it is changed there.":
    "Ein Schlüssel ist durch die Umgebung gesetzt ({name}); dort wird er geändert.",
  "A key for {service} is kept. Another one takes its place.":
    "Ein Schlüssel für {service} ist hinterlegt. Ein anderer tritt an seine Stelle.",
  "{service} answers nobody without a key.": "{service} antwortet niemandem ohne Schlüssel.",
  "It is kept by the server, sent to this service alone, and never shown again.":
    "Er bleibt auf dem Server, geht nur an diesen Dienst und wird nie wieder angezeigt.",
  "Forget the key": "Schlüssel vergessen",
  "Forget the key for {service}?": "Den Schlüssel für {service} vergessen?",
  "Calls to this service fail until there is another one.":
    "Aufrufe dieses Dienstes schlagen fehl, bis es einen anderen gibt.",
  "Try it": "Ausprobieren",
  "Being tried…": "Wird ausprobiert …",
  "None is set, so there is nothing to try.": "Es ist keines gesetzt, also gibt es nichts auszuprobieren.",
  "It could not be tried": "Es ließ sich nicht ausprobieren",
  "What to do: {advice}": "Was zu tun ist: {advice}",
  "It works.": "Es funktioniert.",
  "It is not set up rightly.": "Es ist nicht richtig eingerichtet.",
  "Nobody answered.": "Niemand hat geantwortet.",
  "The key was not accepted.": "Der Schlüssel wurde nicht angenommen.",
  "The service has reached a limit of the account.": "Beim Dienst ist eine Grenze des Kontos erreicht.",
  "The service does not know the model.": "Der Dienst kennt das Modell nicht.",
  "It answered, and not in the form that runs need.":
    "Es hat geantwortet, aber nicht in der Form, die Läufe brauchen.",
  "The service failed.": "Der Dienst ist ausgefallen.",

  // The system check
  "System check": "Systemprüfung",
  "Whether everything works that runs depend on. Services on the network are asked only when you want it: each with the smallest call there is, which may cost a fraction of a cent.":
    "Ob alles funktioniert, worauf Läufe angewiesen sind. Dienste im Netz werden nur gefragt, wenn Sie es wollen: jeder mit dem kleinsten Aufruf, den es gibt; das kann den Bruchteil eines Cents kosten.",
  "What was checked": "Was geprüft wurde",
  "Check again": "Erneut prüfen",
  "Ask the services too": "Auch die Dienste fragen",
  "Checking…": "Wird geprüft …",
  "{checks}: nothing is wrong": "{checks}: alles in Ordnung",
  "{checks}: {failed} failed": "{checks}: {failed} fehlgeschlagen",
  "The check was not made": "Die Prüfung fand nicht statt",
  Works: "Funktioniert",
  "Could be more": "Ausbaufähig",
  "Does not work": "Funktioniert nicht",
  Environment: "Umgebung",
  "Data folder": "Datenordner",
  Database: "Datenbank",
  References: "Literaturverzeichnis",
  Sources: "Quellen",
  Sandbox: "Abgeschirmte Ausführung",

  // Said by the server: methods, strategies, sources, formats
  "A question, answered with every sentence checked against its source.":
    "Eine Frage, beantwortet mit jedem Satz an seiner Quelle geprüft.",
  Hypothesize: "Hypothesen",
  "Testable hypotheses from the literature, contested and ranked.":
    "Prüfbare Hypothesen aus der Literatur, bestritten und in eine Rangfolge gebracht.",
  Market: "Markt",
  "Size, competitors, customers and strategy of a market, cited, after questions to you and a plan.":
    "Größe, Wettbewerber, Kunden und Strategie eines Marktes, mit Belegen, nach Rückfragen an Sie und einem Plan.",
  Debate: "Debatte",
  "Two scientists over papers read for each turn: one proposes with code that is run, the other reviews.":
    "Zwei Forscher über Fachartikeln, die für jeden Beitrag gelesen werden: Der eine schlägt vor, mit ausgeführtem Code, der andere begutachtet.",
  Brief: "Kurzbericht",
  "An executive summary of survey data: what was found, why it differs, how to act; every figure computed again.":
    "Eine Zusammenfassung von Umfragedaten für die Leitung: was gefunden wurde, warum es sich unterscheidet, was zu tun ist; jede Zahl nachgerechnet.",
  Check: "Prüfen",
  "Any text, whoever wrote it, held against your documents: each sentence with its verdict and its statements.":
    "Ein beliebiger Text, an Ihren Dokumenten geprüft: jeder Satz mit seinem Urteil und seinen Belegstellen.",
  "My documents": "Meine Dokumente",
  "From your documents alone; no request leaves for sources.":
    "Nur aus Ihren Dokumenten; keine Anfrage geht an Quellen hinaus.",
  "Papers and the web": "Fachartikel und das Web",
  "Looked up outside, read, and answered from.": "Draußen nachgeschlagen, gelesen und daraus beantwortet.",
  Planned: "Geplant",
  "Tasks are planned first, over your documents, papers, the web and questions to you.":
    "Zuerst werden Aufgaben geplant, über Ihre Dokumente, Fachartikel, das Web und Rückfragen an Sie.",
  "The model alone": "Nur das Modell",
  "No evidence; the answer is marked as ungrounded.":
    "Keine Belege; die Antwort wird als unbelegt gekennzeichnet.",
  "the web search": "die Websuche",
  "Web page": "Webseite",
  "Word document": "Word-Dokument",
  "Plain text": "Reiner Text",
  "JSON, with everything": "JSON, mit allem",
  "Checked sentences (JSON lines)": "Geprüfte Sätze (JSON-Zeilen)",
  "Banner tables (Excel)": "Kreuztabellen (Excel)",
  "Bundle that can be verified": "Bündel, das sich prüfen lässt",

  // Said by the server: the system check
  "none: documents are searched by words": "keines: Dokumente werden nach Wörtern durchsucht",
  "--embedder names one": "hier in den Einstellungen, oder mit --embedder",
  "none: proposed code is not executed": "keine: Vorgeschlagener Code wird nicht ausgeführt",
  "sandbox.enabled = true changes that": "sandbox.enabled = true ändert das",
  "none: offline mode, answers are extractive": "keines: Antworten entstehen ohne Netz aus Zitaten",
  "set QUAESTIO_MODEL=provider/name for more":
    "hier in den Einstellungen, oder mit QUAESTIO_MODEL=Anbieter/Name",
  "no web search: sources.web.engine names one":
    "keine Websuche: eine Suchmaschine wird in den Einstellungen gewählt",
  "no contact: sources.contact takes your mail address":
    "kein Kontakt: Ihre Mailadresse kommt in die Einstellungen",
  "correct embedder.model": "berichtigen Sie das Einbettungsmodell in den Einstellungen",
  "restore it from a backup": "stellen Sie sie aus einer Sicherung wieder her",
  "fix its permissions or give --data-dir":
    "berichtigen Sie die Zugriffsrechte, oder geben Sie --data-dir an",
  "check the name, the key and the base URL, or use --no-model":
    "prüfen Sie Name, Schlüssel und Adresse, oder arbeiten Sie ohne Modell (--no-model)",

  // Said by the server: trials and refusals
  "correct the name, the key or the address": "berichtigen Sie Name, Schlüssel oder Adresse",
  "check the address, and that a server runs there": "prüfen Sie die Adresse, und ob dort ein Server läuft",
  "check the key": "prüfen Sie den Schlüssel",
  "look at the limits and the credit of the account": "sehen Sie nach Grenzen und Guthaben des Kontos",
  "check the name and the address": "prüfen Sie Name und Adresse",
  "choose another one": "wählen Sie ein anderes",
  "the trouble is the service's; try again later":
    "der Fehler liegt beim Dienst; versuchen Sie es später erneut",
  "this server has several users, and is set up by its configuration file and its environment alone":
    "Dieser Server hat mehrere Nutzer und wird nur durch seine Konfigurationsdatei und seine Umgebung eingerichtet.",
  "this server answers under other names and asks nobody who they are, so it is set up by its configuration file and its environment alone":
    "Dieser Server antwortet unter anderen Namen und fragt niemanden, wer er ist; deshalb wird er nur durch seine Konfigurationsdatei und seine Umgebung eingerichtet.",
  "the key is empty": "der Schlüssel ist leer",
  "change it there, or take it away there": "ändern Sie es dort, oder nehmen Sie es dort weg",
  "try again later": "versuchen Sie es später erneut",
};

export const plurals = {
  step: { one: "Schritt", other: "Schritte" },
  document: { one: "Dokument", other: "Dokumente" },
  passage: { one: "Textstelle", other: "Textstellen" },
  check: { one: "Prüfung", other: "Prüfungen" },
  file: { one: "Datei", other: "Dateien" },
  line: { one: "Zeile", other: "Zeilen" },
  question: { one: "Frage", other: "Fragen" },
  claim: { one: "Aussage", other: "Aussagen" },
  change: { one: "Änderung", other: "Änderungen" },
  token: { one: "Token", other: "Token" },
  day: { one: "Tag", other: "Tage" },
};
