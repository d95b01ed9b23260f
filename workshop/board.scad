// The carrier that holds the sensors under the squares, and the case round board, controller and Pi.
// `make print` gives it the board's figures; alone it draws four squares. Millimetres; seen from above, row 1 (red) nearest.
part = "carrier";                                      // carrier, quarter, case, foot; of tiles: frame, case, foot
pitch = 19;                                            // from the middle of one square to the next
columns = 2;
rows = 2;
places = [[0, 0], [1, 0], [0, 1], [1, 1]];             // column and row of each square, from 0
board_thickness = 3;                                   // of the playing surface that lies on the carrier: measure yours
magnet_gap = 4.5;                                      // from the magnet's face to the sensor's, as in the board file
bay = 34;                                              // room below for multiplexers, wires, controller and Pi
socket_hole = 12.2;                                    // thread of a DC socket for panels: measure yours, some have 8 mm
fuse_hole = 12.6;                                      // thread of a holder for 5 x 20 mm fuses, about 40 mm long: measure yours

tile = 0;                                              // width of a tile; 0: sensors in a carrier
tile_holes = [];                                       // of its screws, from its lower left corner
tile_usb = 0;                                          // how far up the left edge of the first tile USB and supply look out
tile_jack = 0;
tile_board = 1.6;                                      // thickness of the printed circuit board
tile_sensor = 1.0;                                     // height of an SOT-23: 0.9 to 1.12 by its data sheet
frame = magnet_gap - board_thickness + tile_sensor;    // between tile and surface
assert(tile == 0 || frame >= 2, "board_thickness leaves no room for the parts on the tiles: another surface, or another gap");

body = [4.4, 3.5, 1.7];                                // a TO-92 of 4.0 x 3.15 x 1.52 mm and what a printer adds
leg_slot = [6, 6];                                     // where its legs go down
gap = magnet_gap - board_thickness;                    // what the carrier itself has above the sensors
assert(tile > 0 || gap >= 0.8, "board_thickness leaves less than 0.8 mm of roof over the sensors: another surface, or another gap");
plate = tile > 0 ? frame + tile_board : gap + body[2] + 0.8; // what lies on the case's ledge, below the surface
wall = 2.4;
play = 0.4;
wide = columns * pitch;
high = rows * pitch;

module pocket() {
    // the sensor lies face up against the roof of its pocket; legs leave towards red
    translate([-body[0] / 2, -body[1] / 2, -1]) cube([body[0], body[1], plate - gap + 1]);
    translate([-leg_slot[0] / 2, -body[1] / 2 - leg_slot[1], -1]) cube([leg_slot[0], leg_slot[1] + 0.1, plate - 0.8 + 1]);
}

module carrier(from = [0, 0], to = [columns, rows]) {
    difference() {
        translate([from[0] * pitch, from[1] * pitch, 0])
            cube([(to[0] - from[0]) * pitch, (to[1] - from[1]) * pitch, plate]);
        // a quarter has a pocket everywhere: four of one print make a board, lakes stay empty
        for (at = part == "quarter" ? [for (x = [0 : columns - 1], y = [0 : rows - 1]) [x, y]] : places)
            if (at[0] > from[0] - 1 && at[0] < to[0] && at[1] > from[1] - 1 && at[1] < to[1])
                translate([(at[0] + 0.5) * pitch, (at[1] + 0.5) * pitch, 0]) pocket();
        // a groove along each row, below the legs, for supply and ground
        for (row = [0 : rows - 1])
            translate([from[0] * pitch - 1, (row + 0.5) * pitch - body[1] / 2 - leg_slot[1] + 1, -1])
                cube([(to[0] - from[0]) * pitch + 2, 3, 2]);
    }
}

// one for each tile, glued below the surface: a rim, and posts that screws of the tile bite into from below
module frame() {
    rim = 3;
    difference() {
        union() {
            difference() {
                cube([tile, tile, frame]);
                translate([rim, rim, -1]) cube([tile - 2 * rim, tile - 2 * rim, frame + 2]);
            }
            for (at = tile_holes) hull() { // out to the nearer rim
                translate([at[0], at[1], 0]) cylinder(d = 8, h = frame, $fn = 48);
                translate([at[0] - 2, at[1] < tile / 2 ? 0 : tile - 1, 0]) cube([4, 1, frame]);
            }
        }
        for (at = tile_holes) translate([at[0], at[1], -1]) cylinder(d = 2.6, h = frame + 2, $fn = 24);
    }
}

// in the left wall: what the first tile has at its edge, hanging below it. The Nano's socket stands out of the tile: up to the top
module tile_openings() {
    low = wall + play;
    translate([-1, low + tile_usb - 7, wall + bay - 19]) cube([wall + 2, 14, 19 + plate + board_thickness + 1]);
    translate([-1, low + tile_jack - 6, wall + bay - 13]) cube([wall + 2, 12, 13]);
}

module case() {
    inner = [wide + 2 * play, high + 2 * play, bay + plate + board_thickness];
    difference() {
        cube([inner[0] + 2 * wall, inner[1] + 2 * wall, inner[2] + wall]);
        translate([wall, wall, wall]) cube([inner[0], inner[1], inner[2] + 1]);
        if (tile > 0) tile_openings();
        // USB and power at the back, air at both sides
        if (tile == 0) translate([wall + inner[0] / 2 - 15, inner[1] + wall - 1, wall + 4]) cube([30, wall + 2, 14]);
        // left of it the supply's socket and fuse, right of it a Pi that lies along the wall: supply, HDMI. Small boards have no room
        if (wide > 170) {
            if (tile == 0) for (at = [[-40, socket_hole], [-66, fuse_hole]])
                translate([wall + inner[0] / 2 + at[0], inner[1] + wall - 1, wall + 14])
                    rotate([-90, 0, 0]) cylinder(d = at[1], h = wall + 2, $fn = 64);
            translate([wall + inner[0] / 2 + 24, inner[1] + wall - 1, wall + 4]) cube([58, wall + 2, 12]);
        }
        for (x = [tile > 0 ? inner[0] + wall - 1 : -1, inner[0] + wall - 1], y = [0.2 : 0.12 : 0.8]) // tiles: their openings are air at the left
            translate([x, wall + inner[1] * y, wall + 8]) cube([wall + 2, 3, bay - 16]);
    }
    // under the middle, where the corners of four tiles meet: nothing of a tile is nearer to them than 6 mm
    if (tile > 0) translate([wall + inner[0] / 2, wall + inner[1] / 2, 0]) {
        cylinder(d = 10, h = wall + bay, $fn = 64);
        cylinder(d1 = 24, d2 = 10, h = wall + 10, $fn = 64);
    }
    // what the carrier lies on: a ledge round it, sloping so that it prints without supports
    difference() {
        translate([wall, wall, wall + bay - 4]) cube([inner[0], inner[1], 4]);
        hull() {
            translate([wall, wall, wall + bay - 4.1]) cube([inner[0], inner[1], 0.1]);
            translate([wall + 3, wall + 3, wall + bay - 1]) cube([inner[0] - 6, inner[1] - 6, 2]);
        }
        if (tile > 0) for (at = [tile_usb, tile_jack]) // Nano and socket need the ledge's room
            translate([wall - 1, wall + play + at - 12, wall + bay - 5]) cube([5, 24, 6]);
    }
}

// under a piece: a disc of 6 x 2 or 5 x 2 mm glued in from below, level with the foot
module foot(magnet = [6.2, 2.1], outside = 14, thickness = 3) {
    difference() {
        cylinder(d = outside, h = thickness, $fn = 64);
        translate([0, 0, -0.1]) cylinder(d = magnet[0], h = magnet[1] + 0.1, $fn = 64);
    }
}

// as they are printed: the smooth face on the bed
module turned() { translate([0, 0, plate]) rotate([180, 0, 0]) children(); }
if (part == "carrier") turned() carrier();
if (part == "quarter") turned() carrier([0, 0], [ceil(columns / 2), ceil(rows / 2)]);
if (part == "frame") frame();
if (part == "case") case();
if (part == "foot") foot();
