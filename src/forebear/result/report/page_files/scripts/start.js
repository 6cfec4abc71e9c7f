// Everything is defined: show the first picture and the first answer.

showPicture(stage.dataset.first);
ask();
